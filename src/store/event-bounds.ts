import type { EventColumns } from '../event/event-columns.ts'

/** Returns the first and the last instant of events of a UTC day, ms since its midnight. */
export function boundsOf({ at, count }: Pick<EventColumns, 'at' | 'count'>): [first: number, last: number] {
  let [first, last] = [Infinity, -Infinity]
  for (let row = 0; row < count; row++) {
    if (at[row] < first) first = at[row]
    if (at[row] > last) last = at[row]
  }
  return [first, last]
}
