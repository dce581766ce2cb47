import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { historyArbitrary, oddValueArbitrary } from '../reference/arbitraries.ts'
import { type Damage, damaged, damages } from './damage.ts'
import { editedObject, expand, jsonText, type Members, membersOf } from './json-text.ts'

/** The body of a request, small enough to be printed; `bytesOf` makes it. */
export interface FuzzBody {
  text: string
  damages: readonly Damage[]
  packing: 'plain' | 'gzip' | 'damaged gzip' | 'bomb' | 'utf-16' | 'marked'
}

const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024))

export function bytesOf({ text, damages: all, packing }: FuzzBody): Buffer {
  const plain = Buffer.from(expand(text))
  switch (packing) {
    case 'plain':
      return damaged(plain, all)
    case 'gzip':
      return gzipSync(damaged(plain, all), { level: 1 })
    case 'damaged gzip':
      return damaged(gzipSync(plain, { level: 1 }), all)
    case 'bomb':
      return damaged(BOMB, all)
    case 'utf-16':
      return damaged(Buffer.from(expand(text), 'utf16le'), all)
    case 'marked':
      return damaged(Buffer.concat([Buffer.from('\uFEFF'), plain]), all)
  }
}

/** Days that there are events of, days of other centuries, days that are none. */
const day = fc.constantFrom(
  20250601,
  20250602,
  20240510,
  20240331,
  20111230,
  20000101,
  19691231,
  99991231,
  10000101,
  20250229,
)

/** Ids of devices that there are, and of none; never that of the known good request. */
export const DEVICE_IDS = ['a', '__proto__', 'B', 'a1', 'constructor', 'nobody', '', '\uD83E', '<x 257>']
const ids = fc.option(fc.array(fc.constantFrom(...DEVICE_IDS), { maxLength: 4 }), { nil: undefined })

const daily = fc.record({ day, assertIds: ids })
const summary = fc
  .record({ startDay: day, days: fc.constantFrom(-1, 0, 0, 0, 1, 29, 31, 100), assertIds: ids })
  .map(({ startDay, days, assertIds }) => ({ startDay, endDay: startDay + days, assertIds }))
const rollups = fc
  .record({
    fromDay: day,
    days: fc.constantFrom(-1, 0, 0, 0, 1, 30),
    wait: fc.constantFrom(undefined, true, true, false),
  })
  .map(({ fromDay, days, wait }) => ({ fromDay, toDay: fromDay + days, wait }))

const placement = fc.record(
  {
    at: fc.constantFrom('2025-05-01T00:00:00Z', 1_700_000_000_000, 946_684_800_000, '2034-01-01T00:00:00Z'),
    lat: fc.constantFrom(52.5, -90, 0, -0, 90),
    lon: fc.constantFrom(13.4, 180, 0, -180),
    seq: fc.constantFrom(undefined, 0, 7, 2 ** 53 - 1),
    timezone: fc.constantFrom(undefined, 'Europe/Berlin', 'Pacific/Apia', 'Pacific/Kiritimati', 'America/St_Johns'),
    address: fc.constantFrom(undefined, '', 'Kiosk \u{1F9CA}'),
  },
  { requiredKeys: ['at', 'lat', 'lon'] },
)
const device = fc.record({
  placements: fc.option(fc.array(placement, { maxLength: 3 }), { nil: undefined }),
  retired: fc.constantFrom(undefined, true, false),
})

const channel = fc.oneof(
  fc.record({
    type: fc.constant('webhook'),
    url: fc.constantFrom('https://example.org/hooks', 'http://example.org', 'https://example.org/…', '<x 2001>'),
    format: fc.constantFrom('json', 'slack', 'other'),
    secret: fc.constantFrom(undefined, '…', 'whsec_', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
  }),
  fc.record({ type: fc.constant('email'), to: fc.constantFrom([], ['ops@example.org'], ['__proto__']) }),
)
const subscription = fc.record({
  id: fc.constantFrom(undefined, 'a', 'B', '__proto__'),
  kind: fc.constantFrom('exceptions', 'exceptions', 'report', '__proto__'),
  channel,
  exceptions: fc.constantFrom({}, { off: {} }, { warm: { above: 1e300 } }, { constructor: {} }),
  when: fc.constantFrom('settled', 'provisional'),
  devices: fc.constantFrom(undefined, {}, { ids: ['a', ''] }, { labels: { route: '12' } }, { timezone: 'Nowhere' }),
})

const members = (value: fc.Arbitrary<object>): fc.Arbitrary<Members> => value.map(membersOf)

const events = fc.oneof(
  { weight: 1, arbitrary: historyArbitrary().map(({ events: all }) => all) },
  { weight: 2, arbitrary: fc.array(oddValueArbitrary(Date.now()), { maxLength: 4 }) },
)
const eventTexts = fc.oneof(
  { weight: 3, arbitrary: events.map((all) => all.map((event) => JSON.stringify(event) ?? 'null')) },
  { weight: 1, arbitrary: fc.array(jsonText, { maxLength: 3 }) },
)
const array = eventTexts.map((texts) => `[${texts.join(',')}]`)
const lines = fc.tuple(eventTexts, fc.constantFrom('\n', '\r\n', '\n\n', ' ')).map(([texts, end]) => texts.join(end))

/** Texts of arrays of events, and of lines. */
export const batchTexts = { array, lines }

const batch = fc.oneof(array, editedObject(array.map((text): Members => [['events', text]])), lines)

/** Texts that the routes take, changed at up to three places; of whatever route. */
const TEXTS = {
  daily: editedObject(members(daily)),
  summary: editedObject(members(summary)),
  rollups: editedObject(members(rollups)),
  device: editedObject(members(device)),
  subscription: editedObject(members(subscription)),
  telemetry: batch,
  any: jsonText,
}

export type BodyKind = keyof typeof TEXTS

const packing = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom<FuzzBody['packing']>('plain') },
  { weight: 4, arbitrary: fc.constantFrom<FuzzBody['packing']>('gzip', 'damaged gzip', 'marked') },
  { weight: 1, arbitrary: fc.constantFrom<FuzzBody['packing']>('bomb', 'utf-16') },
)

export const bodyOf = (kind: BodyKind): fc.Arbitrary<FuzzBody> => fc.record({ text: TEXTS[kind], damages, packing })
