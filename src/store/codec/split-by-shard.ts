import { millisecondsInDay } from '../../base/time.ts'
import { type EventColumns, NO_SEQ } from '../../event/event-columns.ts'
import type { LandingGroup } from '../landing.ts'

/** The part of a landing group that becomes one segment. */
export interface Part {
  shard: number
  utcDay: number
  firstAt: number
  lastAt: number
  columns: EventColumns
}

/** The parts of a group in the order of their first events; `partOf` is the part of each row. */
interface Plan {
  parts: { shard: number; utcDay: number; count: number }[]
  partOf: Int32Array
}

/**
 * Splits a group into one part for each UTC day and shard, with events in the order of their arrival. `numbers[i]` is
 * the device number of `group.ids[i]`. Linear: one pass counts, another copies each event to its place within its part.
 */
export function splitByShard(group: LandingGroup, numbers: Int32Array, shards: number): Part[] {
  const { parts, partOf } = plan(group, numbers, shards)
  const { device, at, kind, a, b } = group
  const midnights = Float64Array.from(parts, ({ utcDay }) => utcDay * millisecondsInDay)
  const starts = startsOf(parts)
  const next = starts.slice()
  const sorted = columnsOf(group.count)
  let hasSeq = false
  for (let row = 0; row < group.count; row++) {
    const part = partOf[row]
    const target = next[part]++
    sorted.device[target] = numbers[device[row]]
    sorted.at[target] = at[row] - midnights[part]
    sorted.kind[target] = kind[row]
    sorted.a[target] = a[row]
    sorted.b[target] = b[row]
    if (group.seq[row] !== NO_SEQ) hasSeq = true
  }
  const split = parts.map(({ shard, utcDay, count }, part): Part => {
    const columns = rowsOf(sorted, starts[part], count)
    return { shard, utcDay, ...boundsOf(columns.at, midnights[part]), columns }
  })
  if (hasSeq || group.addresses.size > 0) copyRare(group, partOf, split)
  return split
}

function plan({ count, device, at }: LandingGroup, numbers: Int32Array, shards: number): Plan {
  const shardOf = Int32Array.from(numbers, (number) => number % shards)
  const partOf = new Int32Array(count)
  const parts: Plan['parts'] = []
  /** The part of each shard, or -1, by UTC day. */
  const days = new Map<number, Int32Array>()
  let utcDay = 0
  let ofDay: Int32Array = new Int32Array(0)
  let [start, end] = [Infinity, -Infinity]
  for (let row = 0; row < count; row++) {
    const instant = at[row]
    // Most events fall on the same day as the previous one.
    if (instant < start || instant >= end) {
      utcDay = Math.floor(instant / millisecondsInDay)
      start = utcDay * millisecondsInDay
      end = start + millisecondsInDay
      ofDay = days.get(utcDay) ?? new Int32Array(shards).fill(-1)
      days.set(utcDay, ofDay)
    }
    const shard = shardOf[device[row]]
    let part = ofDay[shard]
    if (part < 0) {
      part = ofDay[shard] = parts.length
      parts.push({ shard, utcDay, count: 0 })
    }
    partOf[row] = part
    parts[part].count++
  }
  return { parts, partOf }
}

function startsOf(parts: Plan['parts']): Int32Array {
  const starts = new Int32Array(parts.length)
  for (let part = 1; part < parts.length; part++) starts[part] = starts[part - 1] + parts[part - 1].count
  return starts
}

const columnsOf = (count: number) => ({
  device: new Int32Array(count),
  at: new Int32Array(count),
  kind: new Uint8Array(count),
  a: new Int32Array(count),
  b: new Int32Array(count),
})

/** Returns `count` rows from row `from` on, as views. */
function rowsOf(columns: ReturnType<typeof columnsOf>, from: number, count: number): EventColumns {
  const to = from + count
  return {
    count,
    device: columns.device.subarray(from, to),
    at: columns.at.subarray(from, to),
    kind: columns.kind.subarray(from, to),
    a: columns.a.subarray(from, to),
    b: columns.b.subarray(from, to),
    seq: null,
    addresses: null,
    imports: null,
  }
}

function boundsOf(at: Int32Array, midnight: number): Pick<Part, 'firstAt' | 'lastAt'> {
  let first = Infinity
  let last = -Infinity
  for (const instant of at) {
    if (instant < first) first = instant
    if (instant > last) last = instant
  }
  return { firstAt: midnight + first, lastAt: midnight + last }
}

/** Copies the values that few events have: `seq` and addresses. */
function copyRare({ count, seq, addresses }: LandingGroup, partOf: Int32Array, parts: readonly Part[]): void {
  const next = new Int32Array(parts.length)
  for (let row = 0; row < count; row++) {
    const { columns } = parts[partOf[row]]
    const target = next[partOf[row]]++
    if (seq[row] !== NO_SEQ) {
      columns.seq ??= new Float64Array(columns.count).fill(NO_SEQ)
      columns.seq[target] = seq[row]
    }
    const address = addresses.get(row)
    if (address === undefined) continue
    columns.addresses ??= new Map()
    columns.addresses.set(target, address)
  }
}
