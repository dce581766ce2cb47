import fc from 'fast-check'
import { addDays, dateOfUtc, utcMidnight } from '../calendar-date.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../durations.ts'
import type { Settings } from '../settings.ts'
import { firstInstantOf } from '../wall-clock.ts'
import { eventGroup, type Part } from './event-groups.ts'
import { SCENES, type Scene } from './scenes.ts'
import { SPELLINGS, spellInstant } from './spelling.ts'

/** Raw telemetry in its order of arrival, all of it JSON, and what its figures depend on. */
export interface History {
  events: unknown[]
  settings: Settings
  asOfMs: number
}

const DEVICE_IDS = ['a', '__proto__', 'B', 'a1']

const settings: fc.Arbitrary<Settings> = fc
  .record({
    defaultTimezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
    // 02:30 is skipped or comes twice in Berlin, 23:30 on the day that runs back over midnight.
    daytime: fc.constantFrom([360, 1080], [360, 1080], [0, 720], [150, 180], [30, 1410]),
    silenceLimitHours: fc.constantFrom(1, 6, 24, 48, 168),
    doorCount: fc.constantFrom<Settings['doorCount'][]>('events', 'changes'),
  })
  .map(({ daytime: [daytimeStartMinute = 0, daytimeEndMinute = 0], ...rest }) => ({
    ...rest,
    daytimeStartMinute,
    daytimeEndMinute,
  }))

/** An instant around which events gather. */
const hotSpot = fc.record({
  kind: fc.constantFrom('midnight', 'midnight', 'daytime start', 'daytime end', 'change', 'any', 'any'),
  day: fc.integer({ min: -2, max: 9 }),
  zone: fc.nat(2),
  minute: fc.nat(24 * 60 - 1),
})
type HotSpot = typeof hotSpot extends fc.Arbitrary<infer T> ? T : never

function instantOfSpot({ kind, day, zone, minute }: HotSpot, { zones, changeAt }: Scene, limits: Settings): number {
  const date = addDays(dateOfUtc(changeAt), day)
  const midnight = firstInstantOf(zones[zone] ?? 'UTC', date) ?? utcMidnight(date)
  if (kind === 'change') return changeAt
  if (kind === 'midnight') return midnight
  if (kind === 'daytime start') return midnight + limits.daytimeStartMinute * MINUTE_MS
  if (kind === 'daytime end') return midnight + limits.daytimeEndMinute * MINUTE_MS
  return midnight + minute * MINUTE_MS
}

const groupSpec = (zones: Scene['zones']) =>
  fc.record({
    parts: eventGroup(zones),
    device: fc.nat(3),
    spot: fc.nat(7),
    afterMs: fc.constantFrom(0, 0, 0, 0, 0, -1, 1, -SECOND_MS, MINUTE_MS, -HOUR_MS, HOUR_MS),
    /** How many silence limits later, so that silences just as long as the limit, and longer, come up. */
    limits: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, -1),
    seq: fc.constantFrom(null, null, null, 0, 1, 2, Number.MAX_SAFE_INTEGER),
    spelling: fc.nat(SPELLINGS - 1),
    copies: fc.constantFrom([], [], [], [{}], [{ battery: 77 }], [{ address: 'Zoo' }, {}]),
    arrival: fc.nat(100),
  })
type GroupSpec = ReturnType<typeof groupSpec> extends fc.Arbitrary<infer T> ? T : never

/** "As of" an instant amid the events. */
const amidst = fc.record({ spot: fc.nat(7), afterMs: fc.constantFrom(0, 1, -1, 90 * MINUTE_MS, DAY_MS) })

/** The raw events of a group, each followed by copies of it that are spelled in another way. */
function rawEvents(spec: GroupSpec, deviceId: string, startMs: number): unknown[] {
  const numbered = spec.seq === null ? {} : { seq: spec.seq }
  return spec.parts.flatMap(({ afterMs, fields }: Part) =>
    [{}, ...spec.copies].map((extra, way) => {
      const at = spellInstant(startMs + afterMs, spec.spelling + way)
      return { deviceId, at, ...numbered, ...fields, ...extra }
    }),
  )
}

const historyIn = (scene: Scene): fc.Arbitrary<History> =>
  fc
    .record({
      settings,
      deviceCount: fc.constantFrom(1, 1, 2, 3, 4),
      spots: fc.array(hotSpot, { minLength: 2, maxLength: 8, size: 'max' }),
      groups: fc.array(groupSpec(scene.zones), { minLength: 1, maxLength: 30, size: 'max' }),
      asOf: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: amidst }),
    })
    .map(({ settings: limits, deviceCount, spots, groups, asOf }) => {
      const instants = spots.map((spot) => instantOfSpot(spot, scene, limits))
      const spotAt = (spot: number) => instants[spot % instants.length] as number
      const events = groups
        .toSorted((a, b) => a.arrival - b.arrival)
        .flatMap((group) => {
          const silenceMs = group.limits * limits.silenceLimitHours * HOUR_MS
          const deviceId = DEVICE_IDS[group.device % deviceCount] as string
          return rawEvents(group, deviceId, spotAt(group.spot) + group.afterMs + silenceMs)
        })
      const asOfMs = asOf === null ? scene.changeAt + 40 * DAY_MS : spotAt(asOf.spot) + asOf.afterMs
      return { events, settings: limits, asOfMs }
    })

/**
 * Telemetry of 1 to 4 devices over some days around an instant at which clocks change or devices cross the date line.
 * Ties, repeats, events exactly at midnight, silences of just the limit, counters that restart, contrary power events,
 * spikes and moves between zones are all common; one event in some twenty is spoiled. `asOfMs` is usually after all
 * events, else in their midst: landing them at `asOfMs` then rejects those that are more than a day later.
 */
export function historyArbitrary(): fc.Arbitrary<History> {
  return fc.constantFrom(...SCENES).chain(historyIn)
}
