import fc from 'fast-check'

/** Fields of valid events, all but `deviceId`, `at` and `seq`. */
export type EventFields = Record<string, unknown>

const PLACES = [
  { lat: 52.52, lon: 13.405 },
  { lat: -13.83, lon: -171.76 },
  { lat: -16.5, lon: 179.9995 },
  { lat: 0, lon: 10 },
]

/** 0.0017986 degree are 200 m; 0.27 degree are 30 km, which is beyond any reach within minutes. */
const STEPS = [0, 0, 0.0001, 1e-7, -0.0009, 0.0017986, 0.0018, -0.0022, 0.27]

/** Over the antimeridian too. */
const eastOf = (lon: number, step: number) => (lon + step > 180 ? lon + step - 360 : lon + step)

const position = fc
  .tuple(fc.constantFrom(...PLACES.slice(0, 1), ...PLACES), fc.constantFrom(...STEPS), fc.constantFrom(...STEPS))
  .map(([place, north, east]) => ({ lat: place.lat + north, lon: eastOf(place.lon, east) }))

/** An empty address is none; the order by code units differs from that by code points and by language. */
export const address = fc.constantFrom('', 'Kiosk 7', 'kiosk', 'ä', '\u{1F9CA}', '\uFF5E')

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** Leaves out fields that are undefined, so that events survive JSON unchanged. */
const compact = (fields: EventFields): EventFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const degrees = fc.oneof(
  fc.constantFrom(-60, 80, 0, 4, 4.0004, 4.0005, -0.0005, 0.0005, -18.0045, 3.125),
  fc.integer({ min: -60_000, max: 80_000 }).map((thousandths) => thousandths / 1000),
)

export const power = fc.boolean().map((on): EventFields => ({ type: 'power', on }))

export const door = fc.oneof(
  { weight: 4, arbitrary: fc.boolean().map((open): EventFields => ({ type: 'door', open })) },
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 100_000).map((count): EventFields => ({ type: 'door', count })) },
)

export const temperature = fc
  .tuple(optional(degrees), optional(degrees), degrees)
  .map(([celsius, setpoint, other]) =>
    compact({ type: 'temperature', celsius: setpoint === undefined ? (celsius ?? other) : celsius, setpoint }),
  )

export const visitor = fc.oneof(
  fc.constantFrom(0, 1, 3, 1_000_000).map((count): EventFields => ({ type: 'visitor', count })),
  // Sums of such totals stay below 2^53.
  fc
    .oneof(fc.constantFrom(0, 1, 5, 5, 7, 90, 91, 100, 1e12, 0.9e12, 0.9e12 - 1), fc.nat(200))
    .map((total): EventFields => ({ type: 'visitor', total })),
)

export const gps = fc
  .tuple(position, optional(address), optional(fc.constantFrom(0, 12.5, 500)))
  .map(([at, text, accuracy]) => compact({ type: 'gps', ...at, address: text, accuracy }))

/** `timezone` is one of `zones`; null stands for none. */
export const placementIn = (zones: readonly (string | null)[]): fc.Arbitrary<EventFields> =>
  fc
    .tuple(fc.constantFrom(...PLACES), fc.constantFrom(...zones), optional(address))
    .map(([place, zone, text]) => compact({ type: 'placement', ...place, timezone: zone ?? undefined, address: text }))

/** Changes to a valid event that have it rejected, or make it another one. */
export const spoiling: fc.Arbitrary<EventFields> = fc.constantFrom<EventFields[]>(
  { deviceId: 5 },
  { deviceId: '' },
  { at: '2024-05-10T09:00:00' },
  { at: 1715335200 },
  { at: '1999-12-31T23:59:59.999Z' },
  { at: '2199-01-01T00:00:00Z' },
  { type: 'Power' },
  { type: null },
  { seq: -1 },
  { seq: '1' },
  { type: 'door', open: 1 },
  { type: 'door', count: 0 },
  { type: 'visitor', count: 1, total: 1 },
  { type: 'temperature', celsius: '4' },
  { type: 'temperature', setpoint: 80.0001 },
  { type: 'gps', lat: 0, lon: 0 },
  { type: 'gps', lat: 1, lon: 1, accuracy: 500.5 },
  { type: 'placement', lat: 1, lon: 1, timezone: 'Mars/Olympus_Mons' },
)
