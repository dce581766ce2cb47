import { millisecondsInDay } from '../base/time.ts'
import { type EventColumns, Kind, NO_SEQ } from '../event/event-columns.ts'
import type { DeviceState, KeptFix } from '../store/rollup-store.ts'

type AddressedFix = KeptFix & { address: string | null }

/** What newly landed events tell of one device. */
export interface Seen {
  /** From its first to its last event of each UTC day, ascending; instants in epoch ms. */
  spans: { utcDay: number; from: number; to: number }[]
  firstFix: AddressedFix | null
  lastFix: AddressedFix | null
}

/** No row of a device has been met. */
const NONE = -1

/** Which devices some segments tell of, from when to when, and their earliest and latest fixes. */
export class SeenEvents {
  readonly devices = new Map<number, Seen>()
  readonly #shards: number
  /** Rows of the segment under way, by the place of their device in its shard: its first and last, and those of fixes. */
  #first = new Int32Array(0)
  #last = new Int32Array(0)
  #firstFix = new Int32Array(0)
  #lastFix = new Int32Array(0)

  /** @param shards how many there are; all segments are of the same one. */
  constructor(shards: number) {
    this.#shards = shards
  }

  /** Segments have to come in ascending order of their UTC days. */
  add(segment: EventColumns, utcDay: number): void {
    const { count, device, at, kind } = segment
    const shards = this.#shards
    this.#makeRoom(segment)
    const first = this.#first
    const last = this.#last
    const midnight = utcDay * millisecondsInDay
    // Devices in the order in which they are met. For each event only numbers are looked at, for each device more.
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

  /** Most fixes are between the first and the last of their device: nothing is made of them. */
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
  // Earlier versions kept an empty address.
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

/** The state of a device after these events; a function of the set of events, whatever their order. */
export function mergeState(before: DeviceState | undefined, seen: Seen): DeviceState {
  const first = before?.firstFix ? { ...before.firstFix, address: null } : null
  return {
    firstHeardAt: Math.min(before?.firstHeardAt ?? Infinity, seen.spans[0].from),
    lastHeardAt: Math.max(before?.lastHeardAt ?? -Infinity, seen.spans[seen.spans.length - 1].to),
    firstFix: withoutAddress(earlier(first, seen.firstFix)),
    lastFix: laterFix(before?.lastFix ?? null, seen.lastFix),
  }
}

/** Whether an earlier fix than the one that stood in for a placement has landed: every day with a fix is due then. */
export function standInMoved(before: DeviceState | undefined, state: DeviceState | undefined): boolean {
  const [old, fix] = [before?.firstFix, state?.firstFix]
  return old != null && fix != null && (fix.lat !== old.lat || fix.lon !== old.lon)
}

/** Order of fixes (RULES.md 2). */
export const compareFixes = (one: KeptFix, other: KeptFix): number =>
  one.at - other.at || one.seq - other.seq || one.lat - other.lat || one.lon - other.lon

function earlier(one: AddressedFix | null, other: AddressedFix | null): AddressedFix | null {
  if (one === null || other === null) return one ?? other
  return compareFixes(other, one) < 0 ? other : one
}

/** Of repeats of one fix with differing addresses the greatest address is kept, any before none. */
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
