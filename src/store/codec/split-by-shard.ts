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
function rowsByDay({ count, at }: LandingGroup, arena: Arena): { utcDay: number; rows: Int32Array }[] {
  const days = new Map<number, { rows: Int32Array; count: number }>()
  let [start, end] = [Infinity, -Infinity]
  let ofDay: { rows: Int32Array; count: number } = { rows: new Int32Array(0), count: 0 }
  for (let row = 0; row < count; row++) {
    const instant = at[row]
    // Most events fall on the same day as the previous one.
    if (instant < start || instant >= end) {
      const utcDay = Math.floor(instant / millisecondsInDay)
      start = utcDay * millisecondsInDay
      end = start + millisecondsInDay
      ofDay = days.get(utcDay) ?? { rows: arena.int32(count - row), count: 0 }
      days.set(utcDay, ofDay)
    }
    ofDay.rows[ofDay.count++] = row
  }
  return [...days].map(([utcDay, { rows, count }]) => ({ utcDay, rows: rows.subarray(0, count) }))
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
