import fc from 'fast-check'
import { DAY_MS } from '../durations.ts'
import { door, type EventFields, gps, placementIn, power, temperature, visitor } from './event-fields.ts'

const LONE_SURROGATE = '\uD83E'

const ODD_TEXTS = ['', ' ', '5', 'x', 'true', 'null', 'NaN', '\0', LONE_SURROGATE, `a${LONE_SURROGATE}b`, '__proto__']
const LONG_TEXTS = [255, 256, 257, 512, 513, 100_000].map((length) => 'x'.repeat(length))
const ICE_CUBES = [128, 129, 256, 257].map((length) => '\u{1F9CA}'.repeat(length))

const BOUNDS = [-60, 80, -90, 90, -180, 180, 0, 1, 500, 100_000, 1_000_000, 2 ** 53 - 1, 2 ** 53]
const BESIDE = [-1e-9, 0, 1e-9, 0.5, -1, 1]
const ODD_NUMBERS = [Number.NaN, Infinity, -Infinity, -0, 1e300, -1e300, 5e-324, -4e-8, 5e-8, 0.0005, -0.0005, 1e21]

const oddNumber = fc.oneof(
  fc.constantFrom(...ODD_NUMBERS),
  fc.tuple(fc.constantFrom(...BOUNDS), fc.constantFrom(...BESIDE)).map(([bound, step]) => bound + step),
  fc.double(),
)
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS, ...LONG_TEXTS, ...ICE_CUBES), fc.string({ unit: 'binary' }))
const oddScalar = fc.oneof(fc.constantFrom(null, undefined, true, false), oddNumber, oddText)
const oddThing = fc.oneof(
  { weight: 4, arbitrary: oddScalar },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>([], {}, [5], [[]], { valueOf: 5 }, { toString: null }, ['door']) },
)

const INSTANT_TEXTS = `2024-05-10T09:00:00Z|2024-05-10t09:00:00z|2024-05-10 09:00:00.5+23:59|2024-05-10T09:00:00-00:00
2024-05-10T09:00:00|2024-05-10T09:00Z|2024-05-10|2024-05-10T09:00:00.Z|2024-05-10T09:00:00,5Z|2024-05-10T09:00:00+0200
2024-05-10T09:00:00+24:00|2024-05-10T09:00:00+02:60|2024-05-10T24:00:00Z|2024-05-10T23:60:00Z|2024-05-10T23:59:60Z
2024-05-10T23:59:61Z|2024-05-11T00:59:60.9999+01:00|2024-05-10T09:00:60Z|2024-02-29T00:00:00Z|2023-02-29T00:00:00Z
2100-02-29T00:00:00Z|2000-02-29T00:00:00Z|2024-04-31T00:00:00Z|2024-00-10T00:00:00Z|2024-13-10T00:00:00Z
2024-05-00T00:00:00Z|2000-01-01T00:00:00Z|1999-12-31T23:59:59.9999Z|1999-12-31T23:59:60Z|1999-12-31T23:59:59.999-00:01
2000-01-01T00:00:00+00:01|0000-01-01T00:00:00Z|0099-12-31T23:59:59Z|9999-12-31T23:59:59.999Z|+002024-05-10T09:00:00Z
02024-05-10T09:00:00Z|2024-05-10T09:00:00Z |2024-05-10T09:00:00 Z|2024-05-10  09:00:00Z|2024-5-10T9:00:00Z|1715335260000
2024-05-10T09:00:00.1234567890123456789Z|2024-05-10T09:00:00.0009Z|2024-05-10_09:00:00Z|-2024-05-10T09:00:00Z
٢٠٢٤-05-10T09:00:00Z|2024-05-10T09:00:00Z[Europe/Berlin]|2024-W19-5T09:00:00Z|2024-05-10T09:00:00−02:00`.split(/[|\n]/)

const instant = (landedAtMs: number) =>
  fc.oneof(
    fc.constantFrom<(string | number)[]>(...INSTANT_TEXTS, '2024-05-10T09:00:00Z\n'),
    fc.constantFrom(0, -1, -0, 1e11 - 1, 1e11, 946684799999, 946684800000, 1715335200, 1715335260000.5, 8.64e15, 1e16),
    fc.constantFrom(-1, 0, 1).map((step) => landedAtMs + DAY_MS + step),
    fc
      .date({ min: new Date('1995-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
      .map((d) => d.toISOString()),
  )

const ZONES =
  `Europe/Berlin|europe/berlin|EUROPE/BERLIN|Europe/Berlin |Europe|Mars/Olympus_Mons|+02:00|-05:00|+0200|UTC+3
PST|pst|IST|JST|CST|EST|est|MST|HST|EST5EDT|GMT|GMT+0|GMT0|Etc/GMT+12|Etc/GMT-14|UTC|utc|UCT|PRC|ROC|ROK|WET|Z|Zulu
US/Eastern|Asia/Calcutta|Asia/Kolkata|Local|localtime|America/Argentina/Buenos_Aires|Etc/Unknown`.split(/[|\n]/)

const TYPES = [
  'door',
  'temperature',
  'power',
  'gps',
  'visitor',
  'placement',
  'Door',
  'door ',
  'toString',
  'constructor',
]
const ODD_FIELDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
const FIELDS_OF: Record<string, string[]> = {
  door: ['seq', 'open', 'count'],
  temperature: ['seq', 'celsius', 'setpoint'],
  power: ['seq', 'on'],
  gps: ['seq', 'lat', 'lon', 'accuracy', 'address'],
  visitor: ['seq', 'count', 'total'],
  placement: ['seq', 'lat', 'lon', 'address', 'timezone'],
}

type Patch = [string, unknown]

const patchOf = (fields: EventFields, landedAtMs: number): fc.Arbitrary<Patch> => {
  const own = fc.constantFrom(...(FIELDS_OF[String(fields.type)] ?? []))
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(own, oddNumber) },
    { weight: 6, arbitrary: fc.tuple(own, oddThing) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('at'), instant(landedAtMs)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('timezone'), fc.constantFrom(...ZONES)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('type'), fc.constantFrom(...TYPES)) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('deviceId'), oddText) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('deviceId', 'at', 'type', ...ODD_FIELDS), oddThing) },
  )
}

/** How the fields sit on the object: as own ones, or the n-th of them inherited. */
type Holder = 'plain' | 'no prototype' | number

/** Every patch becomes an own field, `__proto__` too. */
function build(fields: EventFields, patches: Patch[], holder: Holder): object {
  const entries = Object.entries(fields)
  const inherited = typeof holder === 'number' ? entries.splice(holder, 1) : []
  const prototype = inherited.length > 0 ? Object.fromEntries(inherited) : Object.prototype
  const value: object = Object.create(holder === 'no prototype' ? null : prototype)
  for (const [name, field] of [...entries, ...patches]) {
    Object.defineProperty(value, name, { value: field, enumerable: true, writable: true, configurable: true })
  }
  return value
}

const holder: fc.Arbitrary<Holder> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<Holder[]>('plain', 'no prototype') },
  { weight: 1, arbitrary: fc.nat(4) },
)

const nearlyValid = (landedAtMs: number): fc.Arbitrary<unknown> =>
  fc
    .oneof(door, temperature, power, visitor, gps, placementIn(['Europe/Berlin', 'UTC', null]))
    .chain((fields) =>
      fc.tuple(
        fc.constant({ deviceId: 'a', at: '2024-05-10T09:00:00Z', ...fields }),
        fc.array(patchOf(fields, landedAtMs), { maxLength: 3 }),
        holder,
      ),
    )
    .map((parts) => build(...parts))

/**
 * Odd values for validators: scalars and structures of every kind, and near-valid events with wrong types, values at
 * and beside the bounds, -0, NaN, infinities, long texts, lone surrogates, own `__proto__` fields and inherited ones.
 * Instants at and beside the bound of the future are those of events that land at `landedAtMs`.
 */
export function oddValueArbitrary(landedAtMs = Date.UTC(2024, 4, 20)): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 1, arbitrary: oddThing },
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.object({ maxKeys: 3 }) },
    { weight: 20, arbitrary: nearlyValid(landedAtMs) },
  )
}
