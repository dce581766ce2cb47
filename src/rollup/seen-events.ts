import { millisecondsInDay } from '../base/time.ts'
import { type EventColumns, Kind, NO_SEQ } from '../event/event-columns.ts'
import type { DeviceState, KeptFix } from '../store/rollup-store.ts'

type AddressedFix = KeptFix & { address: string | null }

/** What newly landed events contain for one device. */
export interface Seen {
  /** From the first to the last event of each UTC day, ascending; instants in epoch ms. */
  spans: { utcDay: number; from: number; to: number }[]
  firstFix: AddressedFix | null
  lastFix: AddressedFix | null
}

/** Marks a device without any event, or without any fix, on the current day. */
const NONE = -1

/** Collects the devices in some segments, the spans of their events, and their earliest and latest fixes. */
export class SeenEvents {
  readonly #devices = new Map<number, Seen>()
  readonly #shards: number
  #utcDay = Number.NaN
  /** Devices with events on the current day, in order of appearance. */
  #met: number[] = []
  /** First and last instant of each device on the current day, by the device's place in its shard. */
  #first = new Int32Array(0)
  #last = new Int32Array(0)
  #firstFix = new DayFixes(0)
  #lastFix = new DayFixes(0)

  /** @param shards the number of shards; all segments are of the same shard. */
  constructor(shards: number) {
    this.#shards = shards
  }

  /** What the segments contain, by device number. */
  get devices(): ReadonlyMap<number, Seen> {
    this.#endDay()
    return this.#devices
  }

  /**
   * Adds a segment. Segments must come in ascending order of their UTC days. The loops over events handle only numbers;
   * objects are made once for each device and day.
   */
  add(segment: EventColumns, utcDay: number): void {
    if (utcDay !== this.#utcDay) this.#endDay()
    this.#utcDay = utcDay
    this.#makeRoom(segment)
    const { count, device, at, kind } = segment
    for (let row = 0; row < count; ) {
      const number = device[row]
      const place = (number / this.#shards) | 0
      let [first, last] = [this.#first[place], this.#last[place]]
      if (first === NONE) {
        this.#met.push(number)
        first = last = at[row]
      }
      // In large segments, the events of a device are together.
      for (; row < count && device[row] === number; row++) {
        if (at[row] < first) first = at[row]
        else if (at[row] > last) last = at[row]
        if (kind[row] === Kind.fix) this.#addFix(segment, row, place)
      }
      this.#first[place] = first
      this.#last[place] = last
    }
  }

  /** Notes a fix that is its device's first or last on this day so far. */
  #addFix(segment: EventColumns, row: number, place: number): void {
    const at = segment.at[row]
    const [first, last] = [this.#firstFix, this.#lastFix]
    if (at === first.at[place] || at === last.at[place]) {
      addFix(this.#of(segment.device[row]), fixAt(segment, row, this.#utcDay * millisecondsInDay))
      return
    }
    if (first.at[place] === NONE || at < first.at[place]) first.set(place, segment, row)
    if (at > last.at[place]) last.set(place, segment, row)
  }

  #endDay(): void {
    const midnight = this.#utcDay * millisecondsInDay
    for (const number of this.#met) {
      const place = (number / this.#shards) | 0
      const seen = this.#of(number)
      addTo(seen, this.#utcDay, midnight + this.#first[place], midnight + this.#last[place])
      if (this.#firstFix.at[place] !== NONE) {
        addFix(seen, this.#firstFix.take(place, midnight))
        addFix(seen, this.#lastFix.take(place, midnight))
      }
      this.#first[place] = NONE
    }
    this.#met = []
  }

  #of(device: number): Seen {
    let seen = this.#devices.get(device)
    if (!seen) {
      seen = { spans: [], firstFix: null, lastFix: null }
      this.#devices.set(device, seen)
    }
    return seen
  }

  #makeRoom({ count, device }: EventColumns): void {
    let most = 0
    for (let row = 0; row < count; row++) if (device[row] > most) most = device[row]
    const places = ((most / this.#shards) | 0) + 1
    if (places <= this.#first.length) return
    const [first, last] = [this.#first, this.#last]
    this.#first = new Int32Array(places * 2).fill(NONE)
    this.#last = new Int32Array(places * 2)
    this.#first.set(first)
    this.#last.set(last)
    this.#firstFix = new DayFixes(places * 2, this.#firstFix)
    this.#lastFix = new DayFixes(places * 2, this.#lastFix)
  }
}

/** Keeps one fix of each device on the current day, by the device's place in its shard. */
class DayFixes {
  /** Milliseconds since the start of the day, or NONE. */
  readonly at: Int32Array
  readonly #lat: Int32Array
  readonly #lon: Int32Array
  readonly #seq: Float64Array
  readonly #addresses: Map<number, string>

  /** @param from the fixes so far, of fewer places. */
  constructor(places: number, from: DayFixes | null = null) {
    this.at = new Int32Array(places).fill(NONE)
    this.#lat = new Int32Array(places)
    this.#lon = new Int32Array(places)
    this.#seq = new Float64Array(places)
    this.#addresses = from === null ? new Map() : from.#addresses
    if (from === null) return
    this.at.set(from.at)
    this.#lat.set(from.#lat)
    this.#lon.set(from.#lon)
    this.#seq.set(from.#seq)
  }

  set(place: number, { at, a, b, seq, addresses }: EventColumns, row: number): void {
    this.at[place] = at[row]
    this.#lat[place] = a[row]
    this.#lon[place] = b[row]
    this.#seq[place] = seq === null ? NO_SEQ : seq[row]
    const address = addresses?.get(row)
    if (address) this.#addresses.set(place, address)
    else if (this.#addresses.size > 0) this.#addresses.delete(place)
  }

  /** Returns the fix of a device and forgets it. */
  take(place: number, midnight: number): AddressedFix {
    const at = midnight + this.at[place]
    const address = this.#addresses.get(place) ?? null
    this.at[place] = NONE
    this.#addresses.delete(place)
    return { at, seq: this.#seq[place], lat: this.#lat[place], lon: this.#lon[place], address }
  }
}

function fixAt({ at, a, b, seq, addresses }: EventColumns, row: number, midnight: number): AddressedFix {
  // Earlier versions stored empty addresses.
  const address = addresses?.get(row) || null
  return { at: midnight + at[row], seq: seq === null ? NO_SEQ : seq[row], lat: a[row], lon: b[row], address }
}

function addTo({ spans }: Seen, utcDay: number, from: number, to: number): void {
  const span = spans[spans.length - 1]
  if (span?.utcDay !== utcDay) {
    spans.push({ utcDay, from, to })
    return
  }
  span.from = Math.min(span.from, from)
  span.to = Math.max(span.to, to)
}

function addFix(seen: Seen, fix: AddressedFix): void {
  seen.firstFix = earlier(seen.firstFix, fix)
  seen.lastFix = laterFix(seen.lastFix, fix)
}

/** Returns the state of a device after these events. It depends on the set of events, not on their order. */
export function mergeState(before: DeviceState | undefined, seen: Seen): DeviceState {
  const first = before?.firstFix ? { ...before.firstFix, address: null } : null
  return {
    firstHeardAt: Math.min(before?.firstHeardAt ?? Infinity, seen.spans[0].from),
    lastHeardAt: Math.max(before?.lastHeardAt ?? -Infinity, seen.spans[seen.spans.length - 1].to),
    firstFix: withoutAddress(earlier(first, seen.firstFix)),
    lastFix: laterFix(before?.lastFix ?? null, seen.lastFix),
  }
}

/** Tells whether an earlier fix elsewhere now stands in for a placement, which makes every day with a fix due. */
export function standInMoved(before: DeviceState | undefined, state: DeviceState | undefined): boolean {
  const [old, fix] = [before?.firstFix, state?.firstFix]
  return old != null && fix != null && (fix.lat !== old.lat || fix.lon !== old.lon)
}

/** Compares two fixes in event order (RULES.md 2). */
export const compareFixes = (one: KeptFix, other: KeptFix): number =>
  one.at - other.at || one.seq - other.seq || one.lat - other.lat || one.lon - other.lon

function earlier(one: AddressedFix | null, other: AddressedFix | null): AddressedFix | null {
  if (one === null || other === null) return one ?? other
  return compareFixes(other, one) < 0 ? other : one
}

/** Returns the later fix; of copies of one fix the one with the greater address, any address being above none. */
export function laterFix(one: AddressedFix | null, other: AddressedFix | null): AddressedFix | null {
  if (one === null || other === null) return one ?? other
  const order = compareFixes(other, one) || compareAddresses(other.address, one.address)
  return order > 0 ? other : one
}

function compareAddresses(one: string | null, other: string | null): number {
  if (one === null || other === null) return (one === null ? 0 : 1) - (other === null ? 0 : 1)
  return one < other ? -1 : one > other ? 1 : 0
}

function withoutAddress(fix: AddressedFix | null): KeptFix | null {
  return fix && { at: fix.at, seq: fix.seq, lat: fix.lat, lon: fix.lon }
}
