import { expect, test } from 'vitest'
import { zoneOf } from '../../../src/base/zone.ts'
import { checkEvent } from '../../../src/event/check-event.ts'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { eventsOfRecord } from '../../../src/ingest/mapping/apply-mapping.ts'
import { LocalClocks } from '../../../src/ingest/mapping/local-clock.ts'
import { readMapping } from '../../../src/ingest/mapping/mapping.ts'

/** What `at` becomes, for the rows of a file in their order: an instant, or the reason of the reject. */
function instants(at: object, texts: readonly string[], mapping: object = {}, ids: readonly string[] = []): string[] {
  const read = readMapping(
    JSON.stringify({ deviceId: 'id', at: { from: 't', ...at }, events: [{ type: 'door', count: 'n' }], ...mapping }),
  )
  const clocks = new LocalClocks()
  return texts.map((t, row) => {
    const value = { id: ids[row] ?? 'a', t, n: 1 }
    const [event] = eventsOfRecord(read, { value, receivedAt: 0 }, clocks)
    const batch = new EventBatch()
    const reason = checkEvent(event, { landedAt: Date.UTC(2030, 0), purgedBefore: 0 }, batch)
    return reason ?? new Date(batch.at[0]).toISOString().replace(':00.000Z', 'Z')
  })
}

const BERLIN = { format: 'local', timezone: 'Europe/Berlin' }

test.each([
  [{}, '2026-11-20T08:00:00+02', '2026-11-20T06:00Z'],
  [{}, '2026-11-20 08:00:00.5+0230', '2026-11-20T05:30:00.500Z'],
  [{}, ' 2026-11-20T08:00:00Z ', '2026-11-20T08:00Z'],
  [{}, '2026-11-20T08:00:00', 'bad-at'],
  [{}, '2026-11-20', 'bad-at'],
  [{ format: 'epoch-seconds' }, '1795219199.9996', '2026-11-20T23:59:59.999Z'],
  [{ format: 'epoch-seconds' }, '1.7952191999996E9', '2026-11-20T23:59:59.999Z'],
  [{ format: 'epoch-seconds' }, '-1.9999', 'at-in-seconds'],
  [{ format: 'epoch-seconds' }, '1e30', 'at-in-future'],
  [{ format: 'epoch-seconds' }, '1e999999999', 'bad-at'],
  [{ format: 'epoch-seconds' }, '2026-11-20T08:00:00Z', 'bad-at'],
  [{ format: 'epoch-milliseconds' }, '1795219199999.9', '2026-11-20T23:59:59.999Z'],
  [{ format: 'local' }, '2026-11-20T08:00', '2026-11-20T08:00Z'],
  [{ format: 'local' }, '2026-11-20 08:00:00.4747919999', '2026-11-20T08:00:00.474Z'],
  [{ format: 'local' }, '2026-11-20 08:00:00,25', '2026-11-20T08:00:00.250Z'],
  [{ format: 'local', timezone: '+01:00' }, '2026-07-20 08:00:00', '2026-07-20T07:00Z'],
  [{ format: 'local', timezone: '-0930' }, '2026-07-20 08:00:00', '2026-07-20T17:30Z'],
  [{ format: 'local', timezone: 'europe/BERLIN' }, '2026-07-20 08:00:00', '2026-07-20T06:00Z'],
  [{ format: 'local' }, '2026-11-20T08:00:00Z', 'bad-at'],
  [{ format: 'local' }, '2026-11-20 24:00:00', 'bad-at'],
  [BERLIN, '2026-03-29 02:30:00', 'bad-at'],
  [{ format: 'excel-serial' }, '46346', '2026-11-20T00:00Z'],
  [{ format: 'excel-serial' }, '46346.3333333333', '2026-11-20T08:00Z'],
  [{ format: 'excel-serial', timezone: 'Europe/Berlin' }, '46346.5', '2026-11-20T11:00Z'],
  [{ format: 'excel-serial' }, '46110.1041666667', '2026-03-29T02:30Z'],
  [{ format: 'excel-serial', timezone: 'Europe/Berlin' }, '46110.1041666667', 'bad-at'],
  [{ format: 'excel-serial' }, '60.5', 'bad-at'],
  [{ format: 'excel-serial' }, '-1', 'bad-at'],
  [{ format: 'excel-serial' }, '1e300', 'bad-at'],
  [
    { format: 'pattern', pattern: 'dd.MM.yyyy HH:mm', timezone: 'Europe/Berlin' },
    '1.7.2026 14:00',
    '2026-07-01T12:00Z',
  ],
  [{ pattern: 'MM/dd/yy hh:mm:ss a', timezone: '-07:00' }, '11/03/25 12:30:00 AM', '2025-11-03T07:30Z'],
  [{ pattern: 'yyyy-MM-dd HH:mm:ss.SSSSSS' }, '2026-11-20 08:00:00.474999', '2026-11-20T08:00:00.474Z'],
  [{ pattern: "yyyyMMdd'T'HHmmssxx", timezone: 'Asia/Tokyo' }, '20261120T080000+0200', '2026-11-20T06:00Z'],
  [{ pattern: 'd MMM yyyy' }, '3 Nov 2026', '2026-11-03T00:00Z'],
  [{ pattern: 'dd.MM.yyyy' }, '31.02.2026', 'bad-at'],
  [{ pattern: 'dd.MM.yyyy HH:mm', timezone: 'Europe/Berlin' }, '29.03.2026 02:30', 'bad-at'],
])('by %j the text %j is %s', (at, text, instant) => {
  expect(instants(at, [text])).toEqual([instant])
})

test('with a decimal comma times may be written with either sign', () => {
  const both = ['1795219199,9996', '1795219199.9996']
  expect(instants({ format: 'epoch-seconds' }, both, { decimalComma: true })).toEqual([
    '2026-11-20T23:59:59.999Z',
    '2026-11-20T23:59:59.999Z',
  ])
  expect(instants({ format: 'excel-serial' }, ['46.346,5', '46346.5'], { decimalComma: true })).toEqual([
    '2026-11-20T12:00Z',
    '2026-11-20T12:00Z',
  ])
})

const hours = (...times: string[]): string[] => times.map((time) => `2026-10-25 ${time}`)
const utc = (...times: string[]): string[] => times.map((time) => `2026-10-25T${time}Z`)

test('the first time in a repeated hour that is earlier than the one before it begins the second pass', () => {
  expect(instants(BERLIN, hours('01:30', '02:00', '02:30', '02:30', '02:00', '02:30', '03:00'))).toEqual(
    utc('23:30', '00:00', '00:30', '00:30', '01:00', '01:30', '02:00').map((text, row) =>
      row === 0 ? text.replace('25', '24') : text,
    ),
  )
})

test('each device has passes of its own, and rows without an event count for the order', () => {
  const rows = hours('02:30', '02:30', '02:10', '02:20')
  expect(instants(BERLIN, rows, {}, ['a', 'b', 'a', 'b'])).toEqual(
    utc('00:30', '00:30', '01:10', '00:20').with(3, utc('01:20')[0]),
  )
})

test('a file with the newest rows first begins with the second pass', () => {
  expect(instants(BERLIN, hours('04:00', '03:30', '02:30', '02:00', '02:30', '02:00', '01:00'))).toEqual(
    utc('03:00', '02:30', '01:30', '01:00', '00:30', '00:00', '23:00').map((text, row) =>
      row === 6 ? text.replace('25', '24') : text,
    ),
  )
})

test('rows that reach the repeated hour from below are in order, whatever came before them', () => {
  expect(instants(BERLIN, hours('01:40', '01:10', '02:10', '02:50', '02:10', '02:50')).slice(2)).toEqual(
    utc('00:10', '00:50', '01:10', '01:50'),
  )
})

test.each([
  ['Europe/Berlin', 1],
  ['America/New_York', -1],
  ['Australia/Lord_Howe', 1],
  ['Africa/Casablanca', -1],
])('a year in %s, a row each ten minutes, comes out as it was (order %i)', (name, direction) => {
  const zone = zoneOf(name)
  const clocks = new LocalClocks()
  const instants = Array.from({ length: 365 * 144 }, (_, row) => Date.UTC(2026, 0, 1) + row * 600_000)
  if (direction < 0) instants.reverse()
  const wrong = instants.filter((at) => clocks.resolve('a', name, at + zone.offsetAt(at), 'in-order') !== at)
  expect(wrong).toEqual([])
})

test('`repeated` decides for all rows', () => {
  const rows = hours('02:30', '02:00')
  expect(instants({ ...BERLIN, repeated: 'first' }, rows)).toEqual(utc('00:30', '00:00'))
  expect(instants({ ...BERLIN, repeated: 'second' }, rows)).toEqual(utc('01:30', '01:00'))
})

test('half an hour is repeated on Lord Howe Island', () => {
  const at = { format: 'local', timezone: 'Australia/Lord_Howe' }
  expect(instants(at, ['2026-04-05 01:45', '2026-04-05 01:30', '2026-04-05 02:00'])).toEqual([
    '2026-04-04T14:45Z',
    '2026-04-04T15:00Z',
    '2026-04-04T15:30Z',
  ])
})

test.each([
  [{ pattern: 'dd.MM. HH:mm' }, /does not tell year/],
  [{ pattern: 'yyyy-MM-dd hh:mm' }, /use HH, or hh with a/],
  [{ pattern: 'YYYY-MM-DD' }, /at\.pattern "YYYY-MM-DD": /],
  [{ pattern: 'yyyy-MM-ddTHH:mm' }, /at\.pattern/],
  [{ format: 'pattern' }, /at\.pattern must be a text/],
  [{ format: 'local', pattern: 'yyyy' }, /at\.pattern needs/],
  [{ repeated: 'third' }, /at\.repeated/],
  [{ timezone: '+25:00' }, /at\.timezone/],
  [{ from: [] }, /at must be a name/],
  [{ received: true }, /stands alone/],
])('at with %j is refused', (at, message) => {
  expect(() => instants(at, [])).toThrow(message)
})
