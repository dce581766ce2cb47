import type { EventColumns } from '../../event/event-columns.ts'
import { sortRows } from '../../event/event-order.ts'
import { emptyColumns, selectRows } from './select-rows.ts'

/** Merges columns into one, sorted by device and then in the order of events; keeps repeats. */
export function sortByDevice(parts: readonly EventColumns[]): EventColumns {
  const all = parts.length === 1 ? parts[0] : concatenated(parts)
  return selectRows(all, rowsByDevice(all))
}

function concatenated(parts: readonly EventColumns[]): EventColumns {
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const all = emptyColumns(count, parts)
  let start = 0
  for (const part of parts) {
    all.device.set(part.device.subarray(0, part.count), start)
    all.at.set(part.at.subarray(0, part.count), start)
    all.kind.set(part.kind.subarray(0, part.count), start)
    all.a.set(part.a.subarray(0, part.count), start)
    all.b.set(part.b.subarray(0, part.count), start)
    if (part.seq !== null) all.seq?.set(part.seq.subarray(0, part.count), start)
    if (part.imports !== null) all.imports?.set(part.imports.subarray(0, part.count), start)
    for (const [row, address] of part.addresses ?? []) all.addresses?.set(start + row, address)
    start += part.count
  }
  return all
}

/** Returns the rows ordered by device, ascending, and within each device in the order of events. */
function rowsByDevice(columns: EventColumns): Int32Array {
  const { count, device } = columns
  const counts = new Map<number, number>()
  for (let row = 0; row < count; row++) counts.set(device[row], (counts.get(device[row]) ?? 0) + 1)
  const starts = new Map<number, number>()
  let start = 0
  const devices = [...counts.keys()].sort((one, other) => one - other)
  for (const one of devices) {
    starts.set(one, start)
    start += counts.get(one) ?? 0
  }
  const order = new Int32Array(count)
  const next = new Map(starts)
  for (let row = 0; row < count; row++) {
    const place = next.get(device[row]) ?? 0
    order[place] = row
    next.set(device[row], place + 1)
  }
  for (const one of devices) sortRows(columns, order, starts.get(one) ?? 0, next.get(one) ?? 0)
  return order
}
