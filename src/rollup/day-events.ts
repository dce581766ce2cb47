import { Arena } from '../base/arena.ts'
import type { EventColumns } from '../event/event-columns.ts'
import { NO_SEQ } from '../event/event-columns.ts'
import { sortRows } from '../event/event-order.ts'

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

/** The place of a device whose events are not wanted. */
export const UNWANTED = -1

/** Returns a cheap look-up of a device's place in an ascending list of devices of one shard; UNWANTED if not listed. */
export function placesOf(devices: readonly number[], shards: number): (device: number) => number {
  const local = (device: number): number => (device / shards) | 0
  const first = devices.length === 0 ? 0 : local(devices[0])
  const count = devices.length === 0 ? 0 : local(devices[devices.length - 1]) - first + 1
  const places = new Int32Array(count).fill(UNWANTED)
  for (const [place, device] of devices.entries()) places[local(device) - first] = place
  return (device) => places[local(device) - first] ?? UNWANTED
}

/**
 * Returns the wanted events of some segments. `placeOf(device number)` is the device's place in the result, from 0 to
 * `places - 1`, or UNWANTED. The events lie in the arena, which is cleared first. Takes linear time if the events are
 * nearly in order.
 */
export function gatherDayEvents(
  segments: readonly EventColumns[],
  placeOf: (device: number) => number,
  places: number,
  arena: Arena = new Arena(),
): DayEvents {
  arena.clear()
  const starts = new Int32Array(places + 1)
  const placesOfRows = segments.map((segment) => countPlaces(segment, placeOf, starts, arena))
  for (let place = 0; place < places; place++) starts[place + 1] += starts[place]
  const events = emptyEvents(
    starts,
    starts[places],
    segments.some(({ seq }) => seq !== null),
    arena,
  )
  const next = starts.slice()
  for (const [index, segment] of segments.entries()) scatter(segment, placesOfRows[index], events, next)
  for (let place = 0; place < places; place++) sortRows(events, events.order, starts[place], starts[place + 1])
  return events
}

/** Returns the place of each row, and counts the rows of place `n` in `starts[n + 1]`. */
function countPlaces(
  { count, device }: EventColumns,
  placeOf: (device: number) => number,
  starts: Int32Array,
  arena: Arena,
): Int32Array {
  const places = arena.int32(count)
  for (let row = 0; row < count; row++) {
    const place = placeOf(device[row])
    places[row] = place
    if (place !== UNWANTED) starts[place + 1]++
  }
  return places
}

function emptyEvents(starts: Int32Array, count: number, withSeq: boolean, arena: Arena): DayEvents {
  const order = arena.int32(count)
  for (let row = 0; row < count; row++) order[row] = row
  return {
    starts,
    order,
    at: arena.int32(count),
    kind: arena.uint8(count),
    a: arena.int32(count),
    b: arena.int32(count),
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
