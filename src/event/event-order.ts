import { type EventColumns, Kind, totalOf } from './event-columns.ts'

/** The columns that decide the order of a device's events. */
export type OrderedColumns = Pick<EventColumns, 'at' | 'kind' | 'a' | 'b' | 'seq'>

/**
 * Compares two rows of one device and UTC day (RULES.md 2: by `at`, `seq`, type, value). Returns 0 for the same event,
 * which counts once.
 */
export function compareRows({ at, kind, a, b, seq }: OrderedColumns, one: number, other: number): number {
  if (at[one] !== at[other]) return at[one] - at[other]
  if (seq !== null && seq[one] !== seq[other]) return seq[one] - seq[other]
  if (kind[one] !== kind[other]) return kind[one] - kind[other]
  if (kind[one] === Kind.visitorTotal) return totalOf(a[one], b[one]) - totalOf(a[other], b[other])
  return a[one] !== a[other] ? a[one] - a[other] : b[one] - b[other]
}

/** Insertion sort is fastest for nearly ordered events. After this many moves per event, a full sort takes over. */
const MOVES_PER_EVENT = 24

/** Sorts the rows of one device from `order[start]` to before `order[end]`. Takes linear time if nearly ordered. */
export function sortRows(columns: OrderedColumns, order: Int32Array, start: number, end: number): void {
  const { at } = columns
  let movesLeft = (end - start) * MOVES_PER_EVENT
  for (let index = start + 1; index < end; index++) {
    const row = order[index]
    if (at[order[index - 1]] < at[row]) continue
    let hole = index
    while (hole > start && isAfter(columns, at, order[hole - 1], row)) {
      order[hole] = order[hole - 1]
      hole--
    }
    order[hole] = row
    movesLeft -= index - hole
    if (movesLeft < 0) {
      order.subarray(start, end).sort((one, other) => compareRows(columns, one, other))
      return
    }
  }
}

function isAfter(columns: OrderedColumns, at: Int32Array, one: number, other: number): boolean {
  return at[one] !== at[other] ? at[one] > at[other] : compareRows(columns, one, other) > 0
}
