import { type EventColumns, Kind, NO_SEQ } from '../raw/event-columns.ts'
import type { DeviceState, KeptFix } from '../summary/report-store.ts'
import { millisecondsInDay } from '../time.ts'

type AddressedFix = KeptFix & { address: string | null }

/** What newly landed events tell of one device. */
export interface Seen {
  /** From its first to its last event of each UTC day, ascending; instants in epoch ms. */
  spans: { utcDay: number; from: number; to: number }[]
  firstFix: AddressedFix | null
  lastFix: AddressedFix | null
}

/** Which devices some segments tell of, from when to when, and their earliest and latest fixes. */
export class SeenEvents {
  readonly devices = new Map<number, Seen>()

  /** Segments have to come in ascending order of their UTC days. */
  add({ count, device, at, kind, a, b, seq, addresses }: EventColumns, utcDay: number): void {
    const midnight = utcDay * millisecondsInDay
    for (let row = 0; row < count; row++) {
      const seen = this.#of(device[row])
      const instant = midnight + at[row]
      addTo(seen, utcDay, instant)
      if (kind[row] !== Kind.fix) continue
      const address = addresses?.get(row) ?? null
      addFix(seen, { at: instant, seq: seq === null ? NO_SEQ : seq[row], lat: a[row], lon: b[row], address })
    }
  }

  #of(device: number): Seen {
    let seen = this.devices.get(device)
    if (!seen) {
      seen = { spans: [], firstFix: null, lastFix: null }
      this.devices.set(device, seen)
    }
    return seen
  }
}

function addTo({ spans }: Seen, utcDay: number, instant: number): void {
  const span = spans[spans.length - 1]
  if (span?.utcDay !== utcDay) spans.push({ utcDay, from: instant, to: instant })
  else if (instant < span.from) span.from = instant
  else if (instant > span.to) span.to = instant
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
