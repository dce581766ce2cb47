import { millisecondsInDay, millisecondsInMinute } from '../base/time.ts'
import { type Zone, zoneOf } from '../base/zone.ts'
import type { Placement } from '../event/placement.ts'

/** One local day of a device: instants in epoch ms, half-open. `day` is its date as an epoch day. */
export interface LocalDay {
  day: number
  start: number
  end: number
  /** The daytime within the day (RULES.md 3); empty if `daytimeStart` equals `daytimeEnd`. */
  daytimeStart: number
  daytimeEnd: number
  /**
   * When the day's figures are settled: the first instant, at or after its end, at which the clock in force there reads
   * `COOLER_ROLLUP_AT` on the date that follows.
   */
  closesAt: number
}

/** Settings that a calendar depends on besides the zones. */
export interface CalendarSettings {
  daytime: Daytime
  /** `COOLER_ROLLUP_AT` in minutes after midnight. */
  rollupAtMinute: number
}

/** Daytime as minutes of the local wall clock, 0 to 1440, half-open. */
export interface Daytime {
  startMinute: number
  endMinute: number
}

/** From `from` (epoch ms) on, the device lives in `zone`. */
export interface ZonePeriod {
  from: number
  zone: Zone
}

/** Maps instants to local days (RULES.md 1). Days tile time: `dayAt(d.end)` is the day after `d`. */
export interface Calendar {
  dayAt(instant: number): LocalDay
}

/** Most days by which two calendars date one instant apart: zones are up to 26 hours apart, and dates are skipped. */
export const FURTHEST_DATES = 3

/** Returns the day of a date (epoch day); null if that date never begins for the device. */
export function dayOfDate(calendar: Calendar, date: number): LocalDay | null {
  let day = calendar.dayAt((date - FURTHEST_DATES) * millisecondsInDay)
  while (day.day < date) day = calendar.dayAt(day.end)
  return day.day === date ? day : null
}

/** Returns the zones of a device with these placements (ordered), each with the instant from which it holds. */
export const zonesOf = (placements: readonly Placement[], defaultZone: string): { from: number; zone: string }[] =>
  placements.length === 0
    ? [{ from: 0, zone: defaultZone }]
    : placements.map(({ at, zone }) => ({ from: at, zone: zone === '' ? defaultZone : zone }))

/** Makes the calendars of devices from their zones. Devices that never changed zone share one calendar per zone. */
export class Calendars {
  readonly #settings: CalendarSettings
  readonly #plain = new Map<string, PlainCalendar>()

  constructor(settings: CalendarSettings) {
    this.#settings = settings
  }

  /** Returns the calendar of a device with these successive zones: names with the instants that they hold from. */
  of(zones: readonly { from: number; zone: string }[]): Calendar {
    const periods = periodsOf(zones)
    return periods.length === 1 ? this.#plainOf(periods[0].zone) : new MovingCalendar(periods, this.#settings)
  }

  #plainOf(zone: Zone): PlainCalendar {
    let calendar = this.#plain.get(zone.name)
    if (!calendar) this.#plain.set(zone.name, (calendar = new PlainCalendar(zone, this.#settings)))
    return calendar
  }
}

/** Returns the periods in which a zone is in force. The first has no beginning, none is empty, neighbours differ. */
function periodsOf(zones: readonly { from: number; zone: string }[]): ZonePeriod[] {
  const [first] = zones
  if (!first) throw new RangeError('a calendar needs at least one zone')
  const periods: ZonePeriod[] = [{ from: -Infinity, zone: zoneOf(first.zone) }]
  for (const { from, zone: name } of zones) {
    const zone = zoneOf(name)
    if (periods[periods.length - 1].from === from) periods.pop()
    if (periods[periods.length - 1].zone !== zone) periods.push({ from, zone })
  }
  return periods
}

class PlainCalendar implements Calendar {
  readonly #zone: Zone
  readonly #settings: CalendarSettings
  readonly #days = new Map<number, LocalDay>()
  #last: LocalDay = { day: 0, start: 0, end: 0, daytimeStart: 0, daytimeEnd: 0, closesAt: 0 }

  constructor(zone: Zone, settings: CalendarSettings) {
    this.#zone = zone
    this.#settings = settings
  }

  dayAt(instant: number): LocalDay {
    const last = this.#last
    if (instant >= last.start && instant < last.end) return last
    const date = this.#zone.dayAt(instant)
    let day = this.#days.get(date)
    if (!day) {
      const start = this.#zone.startOfDay(date)
      const end = this.#zone.startOfDay(date + 1)
      day = localDay({ day: date, start, end }, [{ from: -Infinity, zone: this.#zone }], this.#settings)
      this.#days.set(date, day)
    }
    this.#last = day
    return day
  }
}

/**
 * The days of a device that was moved between zones. A day ends at the first instant at which a later date begins in
 * the zone in force up to that instant, or in the zone in force from it on. So the day of a move runs on to the new
 * zone's next midnight of a later date. If both zones begin a date at the instant of the move, the later date holds.
 */
class MovingCalendar implements Calendar {
  readonly #periods: readonly ZonePeriod[]
  readonly #settings: CalendarSettings

  constructor(periods: readonly ZonePeriod[], settings: CalendarSettings) {
    this.#periods = periods
    this.#settings = settings
  }

  dayAt(instant: number): LocalDay {
    let underWay = { day: -Infinity, start: -Infinity }
    for (const [index, { from, zone }] of this.#periods.entries()) {
      const until = this.#periods[index + 1]?.from ?? Infinity
      // The first midnight of this period that begins a later date than the day carried over from the last period.
      const begins = index === 0 ? from : firstLaterMidnight(zone, from, underWay.day)
      if (begins > until) continue
      if (instant < begins) return this.#day(underWay, begins)
      if (instant < until) {
        const day = zone.dayAt(instant)
        const end = zone.startOfDay(day + 1)
        if (end <= until) return this.#day({ day, start: zone.startOfDay(day) }, end)
      }
      const last = zone.dayAt(until)
      underWay = { day: last, start: zone.startOfDay(last) }
    }
    throw new RangeError(`no local day holds the instant ${instant}`)
  }

  #day({ day, start }: { day: number; start: number }, end: number): LocalDay {
    return localDay({ day, start, end }, this.#periods, this.#settings)
  }
}

function firstLaterMidnight(zone: Zone, from: number, day: number): number {
  for (let later = Math.max(day + 1, zone.dayAt(from)); ; later++) {
    const start = zone.startOfDay(later)
    if (start >= from) return start
  }
}

/**
 * Returns the day with its daytime and closing instant. Each bound of the daytime is the first instant of the day at
 * which the clock then in force reads that time of the day's own date, or later.
 */
function localDay(
  day: { day: number; start: number; end: number },
  periods: readonly ZonePeriod[],
  { daytime, rollupAtMinute }: CalendarSettings,
): LocalDay {
  return {
    ...day,
    daytimeStart: firstInstantWithin(day, periods, daytime.startMinute),
    daytimeEnd: firstInstantWithin(day, periods, daytime.endMinute),
    closesAt: closingOf(day.end, zoneAt(periods, day.end), rollupAtMinute),
  }
}

/** Returns when a day closes: the next instant if the clock skips that time, the first if it reads it twice. */
function closingOf(end: number, zone: Zone, rollupAtMinute: number): number {
  return zone.firstInstantAt(zone.dayAt(end) * millisecondsInDay + rollupAtMinute * millisecondsInMinute, end)
}

function zoneAt(periods: readonly ZonePeriod[], instant: number): Zone {
  let { zone } = periods[0]
  for (const period of periods) if (period.from <= instant) zone = period.zone
  return zone
}

function firstInstantWithin(
  { day, start, end }: { day: number; start: number; end: number },
  periods: readonly ZonePeriod[],
  minute: number,
): number {
  const wallMs = day * millisecondsInDay + minute * millisecondsInMinute
  for (const [index, { from, zone }] of periods.entries()) {
    const low = Math.max(start, from)
    const high = Math.min(end, periods[index + 1]?.from ?? Infinity)
    if (low >= high) continue
    const instant = zone.firstInstantAt(wallMs, low)
    if (instant < high) return instant
  }
  return end
}
