import { MAX_ID_UNITS } from '../event/fields.ts'
import type { TelemetryEvent } from '../event/telemetry-event.ts'
import { type City, citiesOf } from './city.ts'
import { Cooler } from './cooler.ts'
import { Faults, type SimulatedEvent } from './faults.ts'
import { Random } from './random.ts'
import { Report } from './report.ts'
import { SLOT_MS, type Slot, slotIn, spanOf } from './slot.ts'

export interface FleetOptions {
  /** Number of coolers, 0 to 10 000 000; each takes about half a kilobyte of memory. */
  devices: number
  /** YYYYMMDD, 20000102 to 21001231: the first local day of every cooler, each in its own zone. */
  startDay: number
  /** Local days that every cooler lives through, 1 to 3660. */
  days: number
  /** An integer within ±2^53. */
  seed: number
  /** Prefix of the device ids, before the cooler's index of at least six digits: `CLR-000000` by default. */
  idPrefix?: string
  /** IANA names of the zones that coolers stand in, in turn; by default those of 17 cities. */
  zones?: readonly string[]
  /** Epoch ms: no event has a later `at`. */
  until?: number
  /** Whether to add the faults of real fleets: repeats, late events and invalid events. */
  faults?: boolean
}

/** A city and the span in which its coolers are simulated: epoch ms, half-open. */
interface Place {
  city: City
  start: number
  end: number
}

/**
 * Simulates a plausible fleet. Yields its events in order of arrival, about 300 a device and day. Over the whole fleet
 * this is order of time to within a quarter of an hour; within one report of a cooler it is exact. With `faults`, late
 * events come later, and events still under way at the end come last.
 *
 * Depends on the options alone: the events are the same on every machine and in every process time zone, as long as the
 * time zone database agrees. Memory depends on the number of coolers, not on the number of days.
 *
 * @throws RangeError at the call if an option is out of bounds
 */
export function simulateFleet(options: FleetOptions & { faults?: false }): Generator<TelemetryEvent, void, undefined>
export function simulateFleet(options: FleetOptions): Generator<SimulatedEvent, void, undefined>
export function simulateFleet(options: FleetOptions): Generator<SimulatedEvent, void, undefined> {
  checkOptions(options)
  const places = citiesOf(options.zones).map((city) => ({ city, ...spanOf(city.zone, options.startDay, options.days) }))
  return arrivals(options, places)
}

function* arrivals(options: FleetOptions, places: readonly Place[]): Generator<SimulatedEvent, void, undefined> {
  const { devices, seed, until = Infinity } = options
  const origin = Math.min(...places.map(({ start }) => start))
  const end = Math.min(until + 1, Math.max(...places.map((place) => place.end)))
  const coolers = buildCoolers(options, places, origin)
  const faults = options.faults ? new Faults(new Random(seed, FAULTS_STREAM)) : null
  const stride = strideThrough(devices)
  const report = new Report()
  for (let number = 0; origin + number * SLOT_MS < end || faults?.pending; number++) {
    const slots = slotsOf(places, number, origin + number * SLOT_MS, end)
    for (let turn = 0; turn < devices; turn++) {
      const index = (turn * stride + number) % devices
      const slot = slots[index % places.length]
      if (!slot) continue
      report.begin(Math.min(end, places[index % places.length].end))
      coolers[index].live(slot, report)
      const arriving = faults ? faults.pass(report.events, number) : report.events
      for (const event of arriving) yield event
    }
    if (faults) yield* faults.due(number)
  }
}

/** The random stream of the faults, which no cooler uses. */
const FAULTS_STREAM = 0xffff_ffff

function buildCoolers(options: FleetOptions, places: readonly Place[], origin: number): Cooler[] {
  const { devices, seed, idPrefix = 'CLR-' } = options
  return Array.from({ length: devices }, (_, index) => {
    const { city, ...span } = places[index % places.length]
    const deviceId = `${idPrefix}${String(index).padStart(6, '0')}`
    const firstSlot = Math.ceil((span.start - origin) / SLOT_MS)
    return new Cooler({ index, deviceId, city, span, firstSlot }, new Random(seed, index))
  })
}

/** Returns the slot in the local time of each place; null for places whose days have not begun or are over. */
function slotsOf(places: readonly Place[], number: number, instant: number, end: number): (Slot | null)[] {
  return places.map((place) => {
    const within = instant >= place.start && instant < Math.min(place.end, end)
    return within ? slotIn(place.city.zone, number, instant) : null
  })
}

/** Returns a step that visits every index once in scattered order, since reports do not arrive in order of ids. */
function strideThrough(devices: number): number {
  let stride = Math.max(1, Math.floor(devices * 0.618))
  while (greatestCommonDivisor(stride, devices) > 1) stride++
  return stride
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b))

function checkOptions({ devices, days, seed, idPrefix = '', until }: FleetOptions): void {
  checkInteger('devices', devices, 0, 10_000_000)
  checkInteger('days', days, 1, 3660)
  checkInteger('seed', seed, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  if (until !== undefined) checkInteger('until', until, 0, Number.MAX_SAFE_INTEGER - 1)
  if (idPrefix.length > MAX_ID_UNITS - 8) {
    throw new RangeError(`idPrefix: at most ${MAX_ID_UNITS - 8} UTF-16 units, got ${idPrefix.length}`)
  }
}

function checkInteger(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new RangeError(`${name}: expected an integer from ${min} to ${max}, got ${value}`)
}
