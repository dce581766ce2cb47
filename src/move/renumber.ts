import type { EventColumns } from '../event/event-columns.ts'
import { selectRows } from '../store/codec/select-rows.ts'

/** Splits events by a key of their device; they get the numbers that the devices have in the target. */
export function renumber<Key>(
  columns: EventColumns,
  targetOf: (device: number) => number,
  keyOf: (target: number) => Key | null,
): Map<Key, EventColumns> {
  const rows = new Map<Key, number[]>()
  for (let row = 0; row < columns.count; row++) {
    const key = keyOf(targetOf(columns.device[row]))
    if (key === null) continue
    const own = rows.get(key)
    if (own === undefined) rows.set(key, [row])
    else own.push(row)
  }
  return new Map(
    [...rows].map(([key, own]) => {
      const selected = selectRows(columns, own)
      for (let row = 0; row < selected.count; row++) selected.device[row] = targetOf(selected.device[row])
      return [key, selected]
    }),
  )
}
