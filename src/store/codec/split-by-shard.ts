import type { Arena } from '../../base/arena.ts'
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

/**
 * Splits a group into one part for each UTC day and shard, in which the events of each device are together, in the
 * order of arrival. `numbers[i]` is the device number of `group.ids[i]`. The columns lie in the arena. Takes linear time.
 */
export function splitByShard(group: LandingGroup, numbers: Int32Array, shards: number, arena: Arena): Part[] {
  const order = orderByShard(numbers, shards)
  const next = new Int32Array(numbers.length)
  return rowsByDay(group, arena).flatMap(({ utcDay, rows }) => {
    const parts = countParts({ group, rows, numbers, order, next, shards })
    const targets = arena.int32(rows.length)
    for (let index = 0; index < rows.length; index++) targets[index] = next[group.device[rows[index]]]++
    const sorted = copyRows({ group, rows, targets, numbers, midnight: utcDay * millisecondsInDay }, arena)
    const addresses = addressesByTarget(group, rows, targets)
    return parts.map(({ shard, from, to }) => partOf(sorted, addresses, { shard, utcDay, from, to }))
  })
}

/** Returns the indexes of device numbers, ordered by shard. */
function orderByShard(numbers: Int32Array, shards: number): Int32Array {
  const next = new Int32Array(shards + 1)
  for (let index = 0; index < numbers.length; index++) next[(numbers[index] % shards) + 1]++
  for (let shard = 0; shard < shards; shard++) next[shard + 1] += next[shard]
  const order = new Int32Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) order[next[numbers[index] % shards]++] = index
  return order
}

/** Returns the rows of each UTC day in the order of arrival, the days in the order of their first events. */
function rowsByDay(group: LandingGroup, arena: Arena): { utcDay: number; rows: Int32Array }[] {
  const counts = new Map<number, number>()
  eachStretch(group, (utcDay, from, to) => counts.set(utcDay, (counts.get(utcDay) ?? 0) + to - from))
  const days = new Map(Array.from(counts, ([utcDay, count]) => [utcDay, { rows: arena.int32(count), count: 0 }]))
  eachStretch(group, (utcDay, from, to) => {
    const ofDay = days.get(utcDay) as { rows: Int32Array; count: number }
    for (let row = from; row < to; row++) ofDay.rows[ofDay.count++] = row
  })
  return Array.from(days, ([utcDay, { rows }]) => ({ utcDay, rows }))
}

/** Calls `each` for each stretch of rows of one UTC day, from `from` to before `to`. Most groups have one or few. */
function eachStretch({ count, at }: LandingGroup, each: (utcDay: number, from: number, to: number) => void): void {
  for (let from = 0, to = 0; from < count; from = to) {
    const utcDay = Math.floor(at[from] / millisecondsInDay)
    const start = utcDay * millisecondsInDay
    const end = start + millisecondsInDay
    for (to = from + 1; to < count && at[to] >= start && at[to] < end; to++);
    each(utcDay, from, to)
  }
}

/** The rows of a group on one day, and how they are to be ordered. */
interface Sorting {
  group: LandingGroup
  rows: Int32Array
  numbers: Int32Array
  order: Int32Array
  /** Receives the target of the first row of each index of `numbers`. */
  next: Int32Array
  shards: number
}

/** Returns where the rows of each shard begin and end in the sorted columns. */
function countParts({
  group,
  rows,
  numbers,
  order,
  next,
  shards,
}: Sorting): { shard: number; from: number; to: number }[] {
  const { device } = group
  next.fill(0)
  for (let index = 0; index < rows.length; index++) next[device[rows[index]]]++
  const parts: { shard: number; from: number; to: number }[] = []
  let to = 0
  for (const one of order) {
    if (next[one] === 0) continue
    const shard = numbers[one] % shards
    let part = parts[parts.length - 1]
    if (part?.shard !== shard) parts.push((part = { shard, from: to, to }))
    part.to += next[one]
    next[one] = to
    to = part.to
  }
  return parts
}

type Sorted = Omit<EventColumns, 'addresses'>

/** The target of each row in the sorted columns. */
interface Targets extends Pick<Sorting, 'group' | 'rows' | 'numbers'> {
  targets: Int32Array
  midnight: number
}

function copyRows({ group, rows, targets, numbers, midnight }: Targets, arena: Arena): Sorted {
  const { device, at, kind, a, b } = group
  const count = rows.length
  const into = {
    count,
    device: arena.int32(count),
    at: arena.int32(count),
    kind: arena.uint8(count),
    a: arena.int32(count),
    b: arena.int32(count),
  }
  for (let index = 0; index < count; index++) {
    const row = rows[index]
    const target = targets[index]
    into.device[target] = numbers[device[row]]
    into.at[target] = at[row] - midnight
    into.kind[target] = kind[row]
    into.a[target] = a[row]
    into.b[target] = b[row]
  }
  return { ...into, seq: seqByTarget(group, rows, targets), imports: null }
}

function seqByTarget({ seq }: LandingGroup, rows: Int32Array, targets: Int32Array): Float64Array | null {
  let first = 0
  while (first < rows.length && seq[rows[first]] === NO_SEQ) first++
  if (first === rows.length) return null
  const into = new Float64Array(rows.length)
  for (let index = 0; index < rows.length; index++) into[targets[index]] = seq[rows[index]]
  return into
}

function addressesByTarget({ addresses }: LandingGroup, rows: Int32Array, targets: Int32Array): Map<number, string> {
  const byTarget = new Map<number, string>()
  if (addresses.size === 0) return byTarget
  for (let index = 0; index < rows.length; index++) {
    const address = addresses.get(rows[index])
    if (address !== undefined) byTarget.set(targets[index], address)
  }
  return byTarget
}

/** Returns the rows of one shard, as views. */
function partOf(
  sorted: Sorted,
  addresses: ReadonlyMap<number, string>,
  { shard, utcDay, from, to }: { shard: number; utcDay: number; from: number; to: number },
): Part {
  const at = sorted.at.subarray(from, to)
  const seq = sorted.seq?.subarray(from, to) ?? null
  const own = [...addresses].filter(([row]) => row >= from && row < to)
  const columns: EventColumns = {
    count: to - from,
    device: sorted.device.subarray(from, to),
    at,
    kind: sorted.kind.subarray(from, to),
    a: sorted.a.subarray(from, to),
    b: sorted.b.subarray(from, to),
    seq: seq?.some((value) => value !== NO_SEQ) ? seq : null,
    addresses: own.length > 0 ? new Map(own.map(([row, address]) => [row - from, address])) : null,
    imports: null,
  }
  return { shard, utcDay, ...boundsOf(at, utcDay * millisecondsInDay), columns }
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
