import fc from 'fast-check'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts'
import { door, type EventFields, gps, placementIn, power, spoiling, temperature, visitor } from './event-fields.ts'

/** An event some time after the instant of its group. */
export interface Part {
  afterMs: number
  fields: EventFields
}

const paces = fc.constantFrom(0, 1, SECOND_MS, MINUTE_MS, 3 * MINUTE_MS, HOUR_MS)

const alone = (fields: fc.Arbitrary<EventFields>): fc.Arbitrary<Part[]> =>
  fields.map((event) => [{ afterMs: 0, fields: event }])

/** A few events of one kind, one pace after another. */
const series = (fields: fc.Arbitrary<EventFields>, maxLength: number): fc.Arbitrary<Part[]> =>
  fc
    .tuple(fc.array(fields, { minLength: 2, maxLength, size: 'max' }), paces)
    .map(([events, pace]) => events.map((event, i) => ({ afterMs: i * pace, fields: event })))

/** There, 30 km off, and there again, within minutes: a spike, unless other fixes come between. */
const spike: fc.Arbitrary<Part[]> = fc.tuple(gps, fc.constantFrom(0, MINUTE_MS, 9 * MINUTE_MS)).map(([fix, pace]) => {
  const far = { ...fix, lat: (fix.lat as number) + 0.27 }
  return [fix, far, fix].map((fields, i) => ({ afterMs: i * pace, fields }))
})

const contrary: fc.Arbitrary<Part[]> = fc.constant(
  [true, false].map((on) => ({ afterMs: 0, fields: { type: 'power', on } })),
)

const spoiled: fc.Arbitrary<Part[]> = fc
  .tuple(fc.oneof(power, door, visitor, gps), spoiling)
  .map(([fields, patch]) => [{ afterMs: 0, fields: { ...fields, ...patch } }])

/** Events of one device that belong together; placements are in one of `zones`. */
export const eventGroup = (zones: readonly (string | null)[]): fc.Arbitrary<Part[]> =>
  fc.oneof(
    { weight: 6, arbitrary: alone(power) },
    { weight: 3, arbitrary: series(power, 4) },
    { weight: 3, arbitrary: contrary },
    { weight: 3, arbitrary: alone(door) },
    { weight: 2, arbitrary: series(door, 4) },
    { weight: 4, arbitrary: alone(temperature) },
    { weight: 2, arbitrary: alone(visitor) },
    { weight: 3, arbitrary: series(visitor, 5) },
    { weight: 3, arbitrary: alone(gps) },
    { weight: 2, arbitrary: series(gps, 4) },
    { weight: 3, arbitrary: spike },
    { weight: 4, arbitrary: alone(placementIn(zones)) },
    { weight: 2, arbitrary: spoiled },
  )
