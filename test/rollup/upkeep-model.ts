import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { ImportNote } from '../../src/event/import-note.ts'
import type { Placement } from '../../src/event/placement.ts'
import { takenFrom } from '../../src/store/archive.ts'
import { addDays } from '../reference/calendar-date.ts'
import { checkEvent } from '../reference/check-event.ts'
import { type CurrentPosition, currentPositionOf } from '../reference/current-position.ts'
import { distinctEventsOf } from '../reference/event-order.ts'
import { type DayFigures, dayFigures, rangeFigures } from '../reference/figures.ts'
import { type KeptEvent, placementsAmong } from '../reference/kept-event.ts'
import { type LocalDay, windowOfDay, type ZonePlacement } from '../reference/local-day.ts'
import type { Settings } from '../reference/settings.ts'

/** A device's days of before the bound, as they are kept: where they end, and their last date (YYYYMMDD). */
export interface Kept {
  endAt: number
  lastDate: number
}

/** What a device's date must be. */
export type Expected =
  | { as: 'figures'; figures: DayFigures; startAt: number | null }
  /** It began before the bound, or its events are of a day that did: nothing but what was kept of it is there. */
  | { as: 'kept' }
  /** It began after the bound, but before the end of what was kept, of days with other bounds; or its events are of a day that did. */
  | { as: 'anything' }

type PlacementKey = string
interface KnownPlacement {
  /** The address that each source told: the number of an import, or 0. */
  told: Map<number, string | null>
  event: KeptEvent
  removed: boolean
}

/** An event, and the import that landed it, or 0. */
interface LandedEvent {
  event: KeptEvent
  source: number
}

const keyOf = ({ at, seq, lat, lon, timezone }: KeptEvent): PlacementKey => [at, seq, lat, lon, timezone].join(' ')

/** What a store should hold after landings, changes of the registry and prunings: sets of events, nothing else. */
export class UpkeepModel {
  readonly #settings: Settings
  readonly #asOfMs: number
  #events: LandedEvent[] = []
  readonly #placements = new Map<string, Map<PlacementKey, KnownPlacement>>()
  readonly ids = new Set<string>()
  /** Epoch ms; 0 for none. */
  purgedBefore = 0

  constructor(settings: Settings, asOfMs: number) {
    this.#settings = settings
    this.#asOfMs = asOfMs
  }

  land(events: readonly unknown[], source = 0): void {
    for (const value of events) {
      const checked = checkEvent(value, this.#asOfMs)
      if (!('event' in checked)) continue
      const { event } = checked
      if (event.type === 'placement') this.#place(event, source)
      else if (event.at >= takenFrom(this.purgedBefore)) this.#events.push({ event, source })
      else continue
      this.ids.add(event.deviceId)
    }
  }

  /** A removed placement stays removed. Of the addresses of repeats the greatest is kept. */
  #place(event: KeptEvent, source: number): void {
    const known = this.#placementsOf(event.deviceId)
    const placement = known.get(keyOf(event)) ?? { event, removed: false, told: new Map() }
    known.set(keyOf(event), placement)
    const own = placement.told.get(source) ?? null
    placement.told.set(source, greatestOf([own, event.address]))
    placement.event = { ...event, address: greatestOf([...placement.told.values()]) }
  }

  /** Erases events of a device that have not been deleted for their age; placements only by their own type. */
  erase(id: string, fromAt: number, toAt: number, type: string | null): void {
    const goes = ({ deviceId, at, ...event }: KeptEvent): boolean =>
      deviceId === id && at >= fromAt && at < toAt && (type === null || event.type === type)
    this.#events = this.#events.filter(({ event }) => event.at < this.purgedBefore || !goes(event))
    if (type !== 'placement') return
    const known = this.#placementsOf(id)
    for (const [key, { event }] of known) if (goes(event)) known.delete(key)
  }

  /** Takes an import back, as far as its events are kept. */
  takeBack(source: number): void {
    const from = takenFrom(this.purgedBefore)
    this.#events = this.#events.filter((one) => one.source !== source || one.event.at < from)
    for (const known of this.#placements.values()) {
      for (const [key, placement] of known) {
        if (!placement.told.delete(source)) continue
        if (placement.told.size === 0) known.delete(key)
        else placement.event = { ...placement.event, address: greatestOf([...placement.told.values()]) }
      }
    }
  }

  #placementsOf(id: string): Map<PlacementKey, KnownPlacement> {
    let known = this.#placements.get(id)
    if (!known) this.#placements.set(id, (known = new Map()))
    return known
  }

  put(id: string, placements: readonly Placement[]): void {
    this.ids.add(id)
    const known = this.#placementsOf(id)
    for (const one of known.values()) one.removed = true
    for (const placement of placements) {
      const event = asEvent(id, placement)
      known.set(keyOf(event), { event, removed: false, told: new Map([[0, event.address]]) })
    }
  }

  /** Of the events, placements aside. */
  get instants(): number[] {
    return this.#events.map(({ event }) => event.at)
  }

  /** The set of events as it is now. */
  get #set(): KeptEvent[] {
    const placements = [...this.#placements.values()].flatMap((known) => [...known.values()])
    return [
      ...this.#events.map(({ event }) => event),
      ...placements.filter(({ removed }) => !removed).map(({ event }) => event),
    ]
  }

  #ordered(id: string): KeptEvent[] {
    return distinctEventsOf(this.#set, id)
  }

  /** `kept`: of the device, where anything is stored of before the bound: what follows begins behind it. */
  day(id: string, date: number, kept: Kept | undefined): Expected {
    const placements = placementsAmong(this.#ordered(id))
    // A date that never begins by now may have been one before a move: its events are of the day before it.
    const day = lastDayUpTo(placements, this.#settings.defaultTimezone, date)
    if (day.start < this.purgedBefore) return { as: 'kept' }
    if (kept !== undefined && (day.day <= kept.lastDate || day.start < kept.endAt)) return { as: 'anything' }
    const startAt = day.day === date ? day.start : null
    return { as: 'figures', figures: dayFigures(this.#set, id, date, this.#settings, this.#asOfMs), startAt }
  }

  range(id: string, firstDate: number, lastDate: number): unknown {
    return rangeFigures(this.#set, id, firstDate, lastDate, this.#settings, this.#asOfMs)
  }

  current(id: string): CurrentPosition {
    return currentPositionOf(this.#ordered(id), this.#settings.defaultTimezone, this.#asOfMs)
  }
}

/** The day of a date, or of the last one before it that there is. */
function lastDayUpTo(placements: readonly ZonePlacement[], defaultZone: string, date: number): LocalDay {
  for (let day = date; ; day = addDays(day, -1)) {
    const window = windowOfDay(placements, defaultZone, day)
    if (window !== null) return { day, ...window }
  }
}

const greatestOf = (addresses: readonly (string | null)[]): string | null =>
  addresses.reduce((most, one) => (one !== null && (most === null || one > most) ? one : most), null)

function asEvent(deviceId: string, { at, seq, lat, lon, zone, address }: Placement): KeptEvent {
  const none = { on: null, open: null, count: null, total: null, celsius: null, setpoint: null }
  return {
    ...{ ...none, deviceId, at, lat, lon, address, type: 'placement' },
    seq: seq === NO_SEQ ? null : seq,
    timezone: zone === '' ? null : zone,
  }
}

/** Returns the note of the import of that number; 0 for events of no import. */
export function noteOf(ofImport: number): ImportNote | null {
  return ofImport === 0 ? null : { id: `import-${ofImport}`, startedAt: 0, files: 'a.csv' }
}
