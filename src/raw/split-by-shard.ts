import { millisecondsInDay } from '../time.ts'
import { type EventColumns, NO_SEQ } from './event-columns.ts'
import type { LandingGroup } from './raw-store.ts'

/** The part of a landing group that becomes one segment. */
export interface Part {
  shard: number
  utcDay: number
  firstAt: number
  lastAt: number
  columns: EventColumns
}

/**
 * Splits a group into one part for each UTC day and shard, events in the order in which they came. `numbers[i]` is the
 * device number of `group.ids[i]`. Linear: one pass counts, one copies.
 */
export function splitByShard(group: LandingGroup, numbers: Int32Array, shards: number): Part[] {
  const parts: Part[] = []
  const partOf = new Int32Array(group.count)
  const counts: number[] = []
  const index = new Map<number, number>()
  for (let row = 0; row < group.count; row++) {
    const key = Math.floor(group.at[row] / millisecondsInDay) * shards + (numbers[group.device[row]] % shards)
    let part = index.get(key)
    if (part === undefined) {
      part = counts.length
      index.set(key, part)
      counts.push(0)
    }
    partOf[row] = part
    counts[part]++
  }
  for (const [key, part] of index) {
    const columns = emptyColumns(counts[part])
    parts[part] = {
      shard: key % shards,
      utcDay: Math.floor(key / shards),
      firstAt: Infinity,
      lastAt: -Infinity,
      columns,
    }
  }
  for (let row = 0; row < group.count; row++) copyRow(group, row, numbers, parts[partOf[row]])
  return parts
}

function emptyColumns(size: number): EventColumns {
  return {
    count: 0,
    device: new Int32Array(size),
    at: new Int32Array(size),
    kind: new Uint8Array(size),
    a: new Int32Array(size),
    b: new Int32Array(size),
    seq: null,
    addresses: null,
  }
}

function copyRow(group: LandingGroup, row: number, numbers: Int32Array, part: Part): void {
  const { columns } = part
  const target = columns.count++
  const at = group.at[row]
  if (at < part.firstAt) part.firstAt = at
  if (at > part.lastAt) part.lastAt = at
  columns.device[target] = numbers[group.device[row]]
  columns.at[target] = at - part.utcDay * millisecondsInDay
  columns.kind[target] = group.kind[row]
  columns.a[target] = group.a[row]
  columns.b[target] = group.b[row]
  if (group.seq[row] !== NO_SEQ) {
    columns.seq ??= new Float64Array(columns.at.length).fill(NO_SEQ)
    columns.seq[target] = group.seq[row]
  }
  if (group.addresses.size === 0) return
  const address = group.addresses.get(row)
  if (address !== undefined) {
    columns.addresses ??= new Map()
    columns.addresses.set(target, address)
  }
}
