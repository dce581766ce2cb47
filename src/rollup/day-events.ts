import type { EventColumns } from '../raw/event-columns.ts'
import { Kind, NO_SEQ, totalOf } from '../raw/event-columns.ts'

/**
 * The events of one UTC day, gathered by device and ordered within each (RULES.md 2: by `at`, `seq`, type, value).
 * Device `c` owns `order[starts[c]]` to `order[starts[c + 1] - 1]`; these are rows of the columns.
 */
export interface DayEvents {
  starts: Int32Array
  order: Int32Array
  at: Int32Array
  kind: Uint8Array
  a: Int32Array
  b: Int32Array
  seq: Float64Array | null
}

/** No device wants these events. */
export const UNWANTED = -1

/**
 * Gathers the wanted events of some segments. `placeOf(device number)` is the device's place in the result, from 0 to
 * `places - 1`, or UNWANTED. Linear in the number of events where they come nearly in order.
 */
export function gatherDayEvents(
  segments: readonly EventColumns[],
  placeOf: (device: number) => number,
  places: number,
): DayEvents {
  const starts = new Int32Array(places + 1)
  const placesOf = segments.map(({ count, device }) => {
    const place = new Int32Array(count)
    for (let row = 0; row < count; row++) {
      place[row] = placeOf(device[row])
      if (place[row] !== UNWANTED) starts[place[row] + 1]++
    }
    return place
  })
  for (let place = 0; place < places; place++) starts[place + 1] += starts[place]
  const events = emptyEvents(
    starts,
    starts[places],
    segments.some(({ seq }) => seq !== null),
  )
  const next = starts.slice()
  for (const [index, segment] of segments.entries()) scatter(segment, placesOf[index], events, next)
  for (let place = 0; place < places; place++) sortRange(events, starts[place], starts[place + 1])
  return events
}

function emptyEvents(starts: Int32Array, count: number, withSeq: boolean): DayEvents {
  const order = new Int32Array(count)
  for (let row = 0; row < count; row++) order[row] = row
  return {
    starts,
    order,
    at: new Int32Array(count),
    kind: new Uint8Array(count),
    a: new Int32Array(count),
    b: new Int32Array(count),
    seq: withSeq ? new Float64Array(count).fill(NO_SEQ) : null,
  }
}

function scatter(from: EventColumns, place: Int32Array, into: DayEvents, next: Int32Array): void {
  const { at, kind, a, b, seq } = into
  for (let row = 0; row < from.count; row++) {
    if (place[row] === UNWANTED) continue
    const target = next[place[row]]++
    at[target] = from.at[row]
    kind[target] = from.kind[row]
    a[target] = from.a[row]
    b[target] = from.b[row]
    if (seq !== null && from.seq !== null) seq[target] = from.seq[row]
  }
}

/** Order of two rows; 0 means that they are the same event (RULES.md 2), which counts once. */
export function compareRows({ at, kind, a, b, seq }: DayEvents, one: number, other: number): number {
  if (at[one] !== at[other]) return at[one] - at[other]
  if (seq !== null && seq[one] !== seq[other]) return seq[one] - seq[other]
  if (kind[one] !== kind[other]) return kind[one] - kind[other]
  if (kind[one] === Kind.visitorTotal) return totalOf(a[one], b[one]) - totalOf(a[other], b[other])
  return a[one] !== a[other] ? a[one] - a[other] : b[one] - b[other]
}

/** Insertion is fastest for events that come nearly in order; beyond this many moves an event, a full sort takes over. */
const MOVES_PER_EVENT = 24

function sortRange(events: DayEvents, start: number, end: number): void {
  const { order, at } = events
  let movesLeft = (end - start) * MOVES_PER_EVENT
  for (let index = start + 1; index < end; index++) {
    const row = order[index]
    let hole = index
    while (hole > start && isAfter(events, at, order[hole - 1], row)) {
      order[hole] = order[hole - 1]
      hole--
    }
    order[hole] = row
    movesLeft -= index - hole
    if (movesLeft < 0) {
      sortFully(events, start, end)
      return
    }
  }
}

function isAfter(events: DayEvents, at: Int32Array, one: number, other: number): boolean {
  return at[one] !== at[other] ? at[one] > at[other] : compareRows(events, one, other) > 0
}

function sortFully(events: DayEvents, start: number, end: number): void {
  events.order.subarray(start, end).sort((one, other) => compareRows(events, one, other))
}
