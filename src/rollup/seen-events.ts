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

/** Marks a device without any row so far. */
const NONE = -1

/** Collects the devices in some segments, the spans of their events, and their earliest and latest fixes. */
export class SeenEvents {
  readonly devices = new Map<number, Seen>()
  readonly #shards: number
  /** First and last row of each device in the current segment, and of its fixes, by the device's place in its shard. */
  #first = new Int32Array(0)
  #last = new Int32Array(0)
  #firstFix = new Int32Array(0)
  #lastFix = new Int32Array(0)

  /** @param shards the number of shards; all segments are of the same shard. */
  constructor(shards: number) {
    this.#shards = shards
  }

  /** Adds a segment. Segments must come in ascending order of their UTC days. */
  add(segment: EventColumns, utcDay: number): void {
    const { count, device, at, kind } = segment
    const shards = this.#shards
    this.#makeRoom(segment)
    const first = this.#first
    const last = this.#last
    const midnight = utcDay * millisecondsInDay
    // Devices in order of appearance. The loop over events handles only numbers; objects are made once per device.
    const met: number[] = []
    for (let row = 0; row < count; row++) {
      const place = (device[row] / shards) | 0
      if (first[place] === NONE) {
        met.push(device[row])
        first[place] = last[place] = row
      } else if (at[row] < at[first[place]]) {
        first[place] = row
      } else if (at[row] > at[last[place]]) {
        last[place] = row
      }
      if (kind[row] === Kind.fix) this.#addFix(segment, row, place, midnight)
    }
    for (const number of met) {
      const place = (number / shards) | 0
      const seen = this.#of(number)
      addTo(seen, utcDay, midnight + at[first[place]], midnight + at[last[place]])
      this.#addFixes(seen, segment, place, midnight)
      first[place] = NONE
    }
  }

  /** Notes a fix that is its device's first or last so far. No object is made for the others, which are most. */
  #addFix(segment: EventColumns, row: number, place: number, midnight: number): void {
    const { at, device } = segment
    const first = this.#firstFix[place]
    const last = this.#lastFix[place]
    if (first === NONE) {
      this.#firstFix[place] = this.#lastFix[place] = row
    } else if (at[row] < at[first]) {
      this.#firstFix[place] = row
    } else if (at[row] > at[last]) {
      this.#lastFix[place] = row
    } else if (at[row] === at[first] || at[row] === at[last]) {
      addFix(this.#of(device[row]), fixAt(segment, row, midnight))
    }
  }

  #addFixes(seen: Seen, segment: EventColumns, place: number, midnight: number): void {
    if (this.#firstFix[place] === NONE) return
    addFix(seen, fixAt(segment, this.#firstFix[place], midnight))
    addFix(seen, fixAt(segment, this.#lastFix[place], midnight))
    this.#firstFix[place] = NONE
  }

  #of(device: number): Seen {
    let seen = this.devices.get(device)
    if (!seen) {
      seen = { spans: [], firstFix: null, lastFix: null }
      this.devices.set(device, seen)
    }
    return seen
  }

  #makeRoom({ count, device }: EventColumns): void {
    let most = 0
    for (let row = 0; row < count; row++) if (device[row] > most) most = device[row]
    const places = ((most / this.#shards) | 0) + 1
    if (places <= this.#first.length) return
    this.#first = new Int32Array(places * 2).fill(NONE)
    this.#last = new Int32Array(places * 2)
    this.#firstFix = new Int32Array(places * 2).fill(NONE)
    this.#lastFix = new Int32Array(places * 2)
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
