import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { type CheckContext, checkEvent, headOf } from '../../../src/event/check-event.ts'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { type LandingResult, MAX_REJECTIONS } from '../../../src/ingest/landing-result.ts'
import { formatEvent, readLines } from '../../../src/ingest/read-batch.ts'
import { scanLines } from '../../../src/ingest/scan/scan-lines.ts'
import { historyArbitrary, oddValueArbitrary } from '../../reference/arbitraries.ts'
import { BOUNDS } from '../../reference/bounds.ts'
import { decimal } from '../decimal.ts'

const LANDED_AT = Date.UTC(2024, 4, 20)
const CONTEXT: CheckContext = { landedAt: LANDED_AT, purgedBefore: 0 }

type Way = (bytes: Buffer, context: CheckContext, batch: EventBatch, most?: number) => unknown

/** JSON.parse and checkEvent, line by line. */
const plainly: Way = (bytes, context, batch, most) => {
  const result: LandingResult = { landed: 0, rejected: 0, rejections: [] }
  for (const [index, raw] of readLines(bytes, most).entries()) {
    const reason = checkEvent(raw.value, context, batch)
    if (reason === null) result.landed++
    else {
      batch.reject(reason, formatEvent(raw), headOf(raw.value))
      result.rejected++
      if (result.rejections.length < MAX_REJECTIONS) result.rejections.push({ index, reason })
    }
  }
  return result
}
const scanned: Way = (bytes, context, batch, most) =>
  scanLines(bytes, context, batch, most === undefined ? {} : { most })

/** All that a batch shows of itself. */
function contentsOf(batch: EventBatch): unknown {
  const { ids, count, hasSeq, landed, addresses, placements, rejects } = batch
  const columns = [batch.device, batch.at, batch.kind, batch.a, batch.b, batch.seq]
  const rows = columns.map((column) => Array.from(column.subarray(0, count)))
  return { ids, count, hasSeq, landed, rows, addresses: [...addresses], placements, rejects }
}

/** What a way answers, or how it fails, and what it leaves in the batch. */
function outcomeOf(way: Way, bytes: Buffer, context = CONTEXT, batch = new EventBatch(), most?: number): unknown {
  const answer = answerOf(() => way(bytes, context, batch, most))
  return { answer, contents: contentsOf(batch) }
}

function answerOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string }
    return { name, message, code }
  }
}

function expectSame(lines: Buffer | string, context = CONTEXT, most?: number): void {
  const bytes = typeof lines === 'string' ? Buffer.from(lines) : lines
  const expected = outcomeOf(plainly, bytes, context, new EventBatch(), most)
  expect(outcomeOf(scanned, bytes, context, new EventBatch(), most)).toEqual(expected)
}

const event = (fields: object): string =>
  JSON.stringify({ deviceId: 'a', at: LANDED_AT, type: 'power', on: true, ...fields })

afterEach(() => {
  vi.restoreAllMocks()
})

/** Chooses one of so many. */
type Choose = (choices: number) => number

const chooser = fc.array(fc.nat(1000), { minLength: 1, maxLength: 60, size: 'max' }).map((choices): (() => Choose) => {
  return () => {
    let turn = 0
    return (most) => choices[turn++ % choices.length] % most
  }
})

const BLANKS = ['', '', '', '', '', '', ' ', '  ', '\t', '\r', ' \t \r ', '\f', '\u00a0']
const EXTRAS = [
  '"battery":77',
  '"x":{"a":[1,2.5,{"b":"\\u00e9\\n"},[]],"deviceId":"no"}',
  '"":""',
  '"note":"a \\"quoted\\" \\\\ \\/ \\ud83e\\uDDCA"',
  '"note":"\\x"',
  '"note":"\\u12g4"',
  '"kiosk":"Stra\u00dfe \u{1F9CA}"',
  '"o":{}',
  '"o":{ "a" : null , "b":[ true , false ] }',
  '"o":{"a":1,}',
  '"o":[1,]',
  '"o":[1 2]',
  '"o":[[[[[[[[[[1]]]]]]]]]]',
  '"o":tru',
  '"o":[falsy]',
  '"o":[false,nul]',
  '"o":nulL',
  '"o":01',
  '"o":1e999',
  '"o":-',
  '"__proto__":{"type":"power"}',
  '"constructor":1',
  '"o":"\t"',
  '"\\u0061t":5',
  '"deviceIds":1',
  '"typ":1',
  '"on ":1',
  '"at":1715335260000',
  '"at":null',
  '"type":"door"',
  '"type":"power"',
  '"deviceId":"b"',
  '"count":3',
  '"open":false',
  '"address":null',
  '"address":"Zoo \\u00e4"',
  '"address":["Zoo"]',
  '"seq":7',
  '"seq":7.5',
  '"timezone":"Europe\\/Berlin"',
  '"lat":5,"lat":6',
]

/** JSON text of a value in one of many spellings, most of them the usual one. */
function spell(value: unknown, choose: Choose): string {
  const blank = (): string => BLANKS[choose(3) === 0 ? choose(BLANKS.length) : 0]
  if (typeof value === 'string') return spellText(value, choose)
  if (typeof value === 'number') return spellNumber(value, choose)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map((item) => blank() + spell(item, choose)).join(',')}${blank()}]`
  const members = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => `${spellText(name, choose)}${blank()}:${blank()}${spell(field, choose)}`)
  for (let extras = choose(4); extras > 1; extras--) members.push(EXTRAS[choose(EXTRAS.length)])
  for (let from = members.length - 1; from > 0 && choose(2) === 0; from--) {
    const to = choose(from + 1)
    ;[members[from], members[to]] = [members[to], members[from]]
  }
  return `{${members.map((member) => blank() + member + blank()).join(',')}}`
}

function spellText(text: string, choose: Choose): string {
  const usual = JSON.stringify(text)
  if (text === '' || choose(12) > 0) return usual
  const place = choose(text.length)
  const unit = `\\u${text.charCodeAt(place).toString(16).padStart(4, '0')}`
  return JSON.stringify(text.slice(0, place)).slice(0, -1) + unit + JSON.stringify(text.slice(place + 1)).slice(1)
}

function spellNumber(value: number, choose: Choose): string {
  const usual = JSON.stringify(value)
  switch (choose(20)) {
    case 0:
      return value.toExponential()
    case 1:
      return `${usual}.0`
    case 2:
      return `${usual}e0`
    case 3:
      return `${usual}0`
    case 4:
      return Object.is(value, -0) ? '-0' : usual
    default:
      return usual
  }
}

const LINE_ENDS = [
  '\n',
  '\n',
  '\n',
  '\n',
  '\n',
  '\n',
  '\r\n',
  ' \n',
  '\n\n',
  '\n \t\r\n',
  '\u00a0\n',
  '\n\ufeff',
  '\n\f\n',
]

function spellLines(values: readonly unknown[], choose: Choose): Buffer {
  const mark = choose(8) === 0 ? '\ufeff' : ''
  const lines = values.map((value) => spell(value, choose) + LINE_ENDS[choose(LINE_ENDS.length)])
  const text = mark + lines.join('')
  return Buffer.from(choose(3) === 0 ? text.trimEnd() : text)
}

const damage = fc.record({
  kind: fc.constantFrom('flip', 'set', 'insert', 'delete', 'cut'),
  place: fc.nat(100_000),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]":,\\ \t\r\n0123456789.-+eEtrufalsn\u00e9'))),
})
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never

function damaged(bytes: Buffer, { kind, place, byte }: Damage): Buffer {
  const at = bytes.length === 0 ? 0 : place % bytes.length
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at + 1)
  if (kind === 'cut') return before
  if (kind === 'delete') return Buffer.concat([before, after])
  if (kind === 'insert') return Buffer.concat([before, Buffer.of(byte), bytes.subarray(at)])
  const old = bytes[at] ?? 0
  return Buffer.concat([before, Buffer.of(kind === 'flip' ? old ^ (1 << (byte & 7)) : byte), after])
}

const purge = fc.constantFrom(0, 0, 0, Date.UTC(2024, 4, 10, 9), Date.UTC(2024, 4, 15))

test('random bytes are taken as the plain path takes them', () => {
  const jsonBytes = fc.constantFrom(...Buffer.from('{{}}[]"":,\\ \t\r\n\n0019.-+eEtruefalsn\u00e9'))
  const anyBytes = fc.array(fc.oneof(fc.nat(255), jsonBytes), { maxLength: 60 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(anyBytes, (bytes) => expectSame(bytes)),
    { numRuns: 1000 },
  )
})

test('odd values are rejected or landed as the plain path has them, however they are spelled', () => {
  fc.assert(
    fc.property(fc.array(oddValueArbitrary(LANDED_AT), { maxLength: 4 }), chooser, purge, (values, start, purged) => {
      expectSame(spellLines(values, start()), { landedAt: LANDED_AT, purgedBefore: purged })
    }),
    { numRuns: 700 },
  )
})

test('so are the events of a history', () => {
  fc.assert(
    fc.property(historyArbitrary(), chooser, ({ events, asOfMs }, start) => {
      const context = { landedAt: asOfMs, purgedBefore: 0 }
      expectSame(spellLines(events, start()), context)
      expectSame(events.map((value) => JSON.stringify(value)).join('\n'), context)
    }),
    { numRuns: 60 },
  )
})

test('so are lines with bytes flipped, changed, put in, left out or cut off', () => {
  const values = fc.array(oddValueArbitrary(LANDED_AT), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(values, chooser, fc.array(damage, { minLength: 1, maxLength: 3 }), (events, start, damages) => {
      expectSame(damages.reduce(damaged, spellLines(events, start())))
    }),
    { numRuns: 700 },
  )
  const usual = fc.constantFrom(
    event({}),
    event({ deviceId: 'Stra\u00dfe 7', type: 'door', open: false, seq: 12 }),
    event({ type: 'gps', lat: 52.520008, lon: -13.404954, accuracy: 12.5, address: 'Kiosk \u{1F9CA}' }),
    event({ type: 'placement', lat: -1.5, lon: 2, timezone: 'Europe/Berlin', address: null }),
    event({ type: 'temperature', celsius: -3.125, setpoint: 4, at: '2024-05-10T09:00:00.25+02:00' }),
    event({ type: 'visitor', total: 9007199254740991, battery: [1, { a: '\n' }] }),
  )
  fc.assert(
    fc.property(fc.array(usual, { minLength: 1, maxLength: 3 }), damage, (lines, one) => {
      expectSame(damaged(Buffer.from(lines.join('\n')), one))
    }),
    { numRuns: 1200 },
  )
})

test('events of the usual shapes are read without JSON.parse, in whatever order and with whatever blanks', () => {
  const usual = [
    '{"deviceId":"CLR-007919","type":"door","at":1715335260000,"open":true}',
    '{"deviceId":"CLR-007919","type":"door","at":1715335260000,"count":12,"seq":9007199254740991}',
    '{ "type": "temperature", "at": "2024-05-10T09:00:00Z", "celsius": -3.8, "setpoint": 4, "deviceId": "x" }',
    '{"at":"2024-05-10 09:00:00.123456+05:45","deviceId":"x","celsius":0.25,"type":"temperature"}',
    '{"deviceId":"Stra\u00dfe 7","on":false,"type":"power","at":1715335260000,"battery":{"volt":[3.5,null]}}\r',
    '{"deviceId":"x","type":"gps","at":1715335260000,"lat":52.520008,"lon":-13.404954,"accuracy":12.5}',
    '{"deviceId":"x","type":"gps","at":1715335260000,"lat":52.52000800000001,"lon":1e1,"address":"Stra\u00dfe 7"}',
    '{"deviceId":"x","type":"visitor","at":1715335260000,"count":0,"note":"a \\"quoted\\" word"}',
    '{"deviceId":"x","type":"visitor","at":1715335260000,"total":123456789012}',
    '\t{"deviceId":"x","type":"placement","at":1715335260000,"lat":-31.6,"lon":159,"timezone":"Europe/Berlin"}',
  ].join('\n')
  expectSame(usual)
  const parse = vi.spyOn(JSON, 'parse')
  const { landed } = scanLines(Buffer.from(usual), CONTEXT, new EventBatch())
  expect([landed, parse.mock.calls]).toEqual([10, []])
})

test.each([
  '-0',
  '01',
  '-01',
  '1.',
  '.5',
  '+1',
  '-',
  '--1',
  '1e',
  '1e+',
  '1E5',
  '0e0',
  '1.e1',
  '0x1',
  '1_0',
  '1 1',
  'NaN',
])('a number written %s counts for what JSON.parse takes it for', (text) => {
  for (const field of ['celsius', 'setpoint', 'lat', 'accuracy', 'seq', 'count', 'total', 'at', 'unknown']) {
    for (const type of ['temperature', 'gps', 'door', 'visitor', 'placement']) {
      const rest = field === 'at' ? '' : `"at":${LANDED_AT},`
      expectSame(`{"deviceId":"a","type":"${type}",${rest}"lon":5,"${field}":${text}}`)
    }
  }
})

test('numbers of any shape count the same in every field', () => {
  const field = fc.constantFrom('celsius', 'setpoint', 'lat', 'lon', 'accuracy', 'seq', 'count', 'total', 'at')
  const type = fc.constantFrom('temperature', 'gps', 'door', 'visitor', 'placement')
  fc.assert(
    fc.property(decimal, field, type, (text, name, kind) => {
      const fields = { lat: '1', lon: '2', at: String(LANDED_AT), [name]: text }
      const members = Object.entries(fields).map(([key, value]) => `"${key}":${value}`)
      expectSame(`{"deviceId":"a","type":"${kind}",${members.join(',')}}`)
    }),
    { numRuns: 1000 },
  )
})

const beside = (...bounds: number[]): number[] =>
  bounds.flatMap((bound) => [bound, -bound, bound - 1, bound + 1, bound - 1e-9, bound + 1e-9, bound - 0.5, bound + 0.5])

test.each<[string, object, unknown[]]>([
  [
    'at',
    { type: 'power' },
    [1e11 - 1, 1e11, 946_684_799_999, 946_684_800_000, ...beside(LANDED_AT + 86_400_000), 1e16],
  ],
  ['at', { type: 'power' }, ['1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00Z', '2024-05-21T00:00:00.000Z']],
  ['at', { type: 'power' }, ['2024-05-21T00:00:00.001Z', '2016-12-31T23:59:60Z', '2016-12-30T23:59:60Z']],
  ['seq', { type: 'power' }, [...beside(0, BOUNDS.safeInteger), 2 ** 53, null, '1', true, [1]]],
  ['count', { type: 'door' }, [...beside(BOUNDS.doorCount.min, BOUNDS.doorCount.max), null, '1', true]],
  ['open', { type: 'door' }, [true, false, null, 1, 'true', {}]],
  ['on', { type: 'power' }, [true, false, null, 1, 'true', {}]],
  ['celsius', { type: 'temperature' }, [...beside(60, 80), 0.0005, -0.0005, null, '4']],
  ['setpoint', { type: 'temperature', celsius: 4 }, [...beside(60, 80), null, '4', false]],
  ['lat', { type: 'gps', lon: 0 }, [...beside(0, 90), 4e-8, -4e-8, 5e-8, null, '4']],
  ['lon', { type: 'gps', lat: 0 }, [...beside(0, 180), 4e-8, -4e-8, 5e-8, null, '4']],
  ['lon', { type: 'placement', lat: 0 }, [...beside(0, 180), 4e-8, -4e-8, null, '4']],
  ['accuracy', { type: 'gps', lat: 1, lon: 1 }, [...beside(0, 500), null, '4']],
  ['address', { type: 'gps', lat: 1, lon: 1 }, ['', 'x'.repeat(512), 'x'.repeat(513), null, 5, [], 'a\\b', 'a"b']],
  ['address', { type: 'placement', lat: 1, lon: 1 }, ['', '\u{1F9CA}'.repeat(256), '\u{1F9CA}'.repeat(257), null, 5]],
  ['timezone', { type: 'placement', lat: 1, lon: 1 }, ['UTC', 'PST', '', 'Europe/Berlin ', null, 5]],
  ['count', { type: 'visitor' }, [...beside(0, 1_000_000), null, '1']],
  ['total', { type: 'visitor' }, [...beside(0, 2 ** 31, 2 ** 32, BOUNDS.safeInteger), 2 ** 53, null, '1']],
  ['deviceId', { type: 'power' }, ['', 'x', 'x'.repeat(256), 'x'.repeat(257), 'é'.repeat(256), 'é'.repeat(257)]],
  ['deviceId', { type: 'power' }, ['\u{1F9CA}'.repeat(128), '\u{1F9CA}'.repeat(129), '\uffff'.repeat(256), null, 5]],
  [
    'type',
    {},
    ['power', 'Power', 'powe', 'powers', '', null, 5, 'toString', 'gp', 'gpss', 'doo', 'placemen', 'visitors'],
  ],
])('%s of %j is kept within its bounds and rejected beyond', (field, fields, values) => {
  for (const value of values) expectSame(event({ ...fields, [field]: value }))
  expectSame(values.map((value) => event({ ...fields, [field]: value })).join('\n'))
  expectSame(event({ ...fields, [field]: undefined }))
})

test.each([
  [
    'a name of a field inside another value',
    '{"deviceId":"a","x":{"at":5},"type":"power","at":1715335260000,"on":true}',
  ],
  ['a field twice', `{"deviceId":"a","deviceId":"b","type":"power","at":1715335260000,"on":true}`],
  ['an own __proto__', `{"__proto__":{"on":true},"deviceId":"a","type":"power","at":1715335260000}`],
  ['an escaped name', `{"\\u006fn":false,"deviceId":"a","type":"power","at":1715335260000,"on":true}`],
  ['an empty object', '{}'],
  ['an empty object with a comma', '{,}'],
  ['a comma at the end', `{"deviceId":"a","type":"power","at":1715335260000,"on":true,}`],
  ['two objects', `${event({})}${event({})}`],
  ['an object after an array', `[]${event({})}`],
  ['a NUL behind the object', `${event({})}\0`],
  ['a tab in an id', event({ deviceId: '_' }).replace('_', '\t')],
  ['a DEL in an id', event({ deviceId: '\x7f' })],
  ['a line separator around the object', `\u2028${event({})}\u2029`],
  ['values nested too deep to scan', event({ x: 0 }).replace('0}', `${'['.repeat(5000)}${']'.repeat(5000)}}`)],
  ['values nested and never closed', event({ x: 0 }).replace('0}', '['.repeat(5000))],
])('%s means what JSON.parse makes of it', (_, line) => {
  expectSame(line)
  expectSame(`${event({ deviceId: 'before' })}\n${line}\r\n${event({ deviceId: 'after' })}\n`)
})

test('lines end, are blank and begin as readLines has it', () => {
  for (const text of [
    '',
    '\n',
    '\r\n',
    '\ufeff',
    '\ufeff\n',
    '\n\n\n',
    ' \t\r\n',
    '\u00a0\n',
    '\v\f\n',
    '\ufeff\ufeff',
  ]) {
    expectSame(text)
    expectSame(`${text}${event({})}`)
    expectSame(`${event({})}\n${text}\n${event({ deviceId: 'b' })}${text}`)
  }
})

test('bytes that are no UTF-8 spoil their own line alone', () => {
  const bad = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xc0, 0xaf], [0x80]]
  for (const bytes of bad) {
    for (const field of ['deviceId', 'address', 'unknown', 'type']) {
      const [head, tail] = event({ type: 'gps', lat: 1, lon: 1, [field]: 'abcd_efgh' }).split('_')
      const line = Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(tail)])
      const others = Buffer.from(`\n${event({ deviceId: 'Stra\u00dfe' })}\n${event({})}\n`)
      expectSame(Buffer.concat([others, line, others]))
      expectSame(Buffer.concat([line]))
    }
  }
})

test('at most so many events are taken, and where there are more nothing is', () => {
  const text = `\n${event({ deviceId: 'a' })}\n\r\n5\n\u00a0\n${event({ deviceId: 'b' })}\n`
  for (let most = 0; most < 9; most++) {
    expectSame(text, CONTEXT, most)
    expectSame(text.trim(), CONTEXT, most)
    expectSame(`${'5\n'.repeat(most)}${text}`, CONTEXT, most + 3)
  }
  expectSame('5\n'.repeat(10_000))
  expectSame('5\n'.repeat(10_001))
  expect(outcomeOf(scanned, Buffer.from('5\n'.repeat(10_001)))).toMatchObject({ answer: { code: 'batch-too-long' } })
})

test(`the first ${MAX_REJECTIONS} rejections are told, each by its place`, () => {
  const lines = Array.from({ length: 300 }, (_, i) =>
    i % 2 === 0 ? event({ deviceId: `${i}` }) : event({ type: 'x' }),
  )
  expectSame(lines.join('\n\n'))
})

test('many lines, and lines longer than what is scanned at once, are the same as one by one', () => {
  const fill = (length: number) => event({ address: 'x'.repeat(500), filling: 'y'.repeat(length) })
  const short = Array.from({ length: 4000 }, (_, i) => event({ deviceId: `CLR-${i % 1500}`, seq: i }))
  for (const length of [0, 261_400, 261_500, 261_600, 262_144, 600_000]) {
    expectSame([...short, fill(length), ...short].join('\n'), CONTEXT, 10_000)
    expectSame(fill(length))
    expectSame(`${fill(length)}\n`)
  }
})

test('ids whose hashes are the same stay apart', () => {
  const blocks = Array.from({ length: 2 ** 8 }, (_, bits) =>
    bits.toString(2).padStart(8, '0').replaceAll('0', 'Aa').replaceAll('1', 'BB'),
  )
  const lines = [...blocks, ...blocks].map((block) => event({ deviceId: `é${block}` }))
  expectSame(lines.join('\n'))
})

test('more ids than are remembered still have their indexes', () => {
  const lines = Array.from({ length: 24_000 }, (_, i) => event({ deviceId: `${i}`.padStart(256, '\u2603') }))
  expectSame([...lines.slice(0, 500), ...lines, ...lines.slice(0, 500)].join('\n'), CONTEXT, 30_000)
  expectSame([...lines.slice(20_000), ...lines.slice(0, 500)].join('\n'))
})

test('a batch that other batches and other ways add to in turn has one index for each id', () => {
  const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'é', 'CLR-000001', 'CLR-000002', ''), { maxLength: 5 })
  const step = fc.record({ ids, batch: fc.nat(2), scans: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const expected = [new EventBatch(), new EventBatch(), new EventBatch()]
      const actual = [new EventBatch(), new EventBatch(), new EventBatch()]
      for (const { ids: devices, batch, scans } of steps) {
        const bytes = Buffer.from(devices.map((deviceId) => event({ deviceId })).join('\n'))
        plainly(bytes, CONTEXT, expected[batch])
        ;(scans ? scanned : plainly)(bytes, CONTEXT, actual[batch])
      }
      expect(actual.map(contentsOf)).toEqual(expected.map(contentsOf))
    }),
    { numRuns: 500 },
  )
})
