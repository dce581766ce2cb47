import { groupBy } from '../base/group-by.ts'
import { formatDay } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import { sortByDevice } from '../store/codec/sort-by-device.ts'
import type { ShardDay } from '../store/erase-store.ts'
import type { MovedSegment, SegmentNote } from '../store/moving.ts'
import { readSegments } from '../store/read-segments.ts'
import type { StoreView } from '../store/view.ts'
import { type Copying, differs, ROWS_AT_ONCE } from './copying.ts'
import { Digest } from './digest.ts'
import { renumber } from './renumber.ts'

/**
 * Segments of one day and shard that were copied together. Each shard of the target has received one segment from them.
 * If one of them goes, or is no longer due, the whole batch is copied again, without it.
 */
interface Batch {
  unit: string
  /** Sorted; see keyOf. */
  keys: readonly string[]
}

/** Names a segment and how it was copied. */
const keyOf = ({ id, isDue }: SegmentNote): string => `${id}${isDue ? '' : 'd'}`
const dayKeyOf = ({ shard, utcDay }: ShardDay): string => `${shard} ${utcDay}`

/** Copies the events that are not compacted. */
export async function copySegments(copying: Copying): Promise<void> {
  const batches = groupBy(
    [...(await copying.target.marks('segments'))].map(([unit, mark]) => ({ unit, keys: mark.split(' ') })),
    ({ unit }) => unit.split(' ').slice(0, 2).join(' '),
  )
  const notes = groupBy(await copying.snapshot(({ moving }) => moving.segments()), dayKeyOf)
  for (const day of new Set([...batches.keys(), ...notes.keys()])) {
    const known = batches.get(day) ?? []
    if (isSame(known, notes.get(day) ?? [])) continue
    const [shard, utcDay] = day.split(' ').map(Number)
    await copying.snapshot((view) => copyDay(copying, view, { shard, utcDay }, known))
  }
}

const isSame = (batches: readonly Batch[], notes: readonly SegmentNote[]): boolean =>
  notes.map(keyOf).sort().join(' ') ===
  batches
    .flatMap(({ keys }) => keys)
    .sort()
    .join(' ')

async function copyDay(copying: Copying, view: StoreView, day: ShardDay, known: readonly Batch[]): Promise<void> {
  const left = new Map((await view.moving.segments(day)).map((note) => [keyOf(note), note]))
  for (const { unit, keys } of known) {
    if (keys.every((key) => left.has(key))) for (const key of keys) left.delete(key)
    else await copying.target.putSegments({ kind: 'segments', unit, mark: null }, [])
  }
  for (const alike of groupBy(left.values(), ({ ofImport, isDue }) => `${ofImport} ${isDue}`).values()) {
    for (const notes of batchesOf(alike)) await copyBatch(copying, view, notes)
  }
}

function batchesOf(notes: readonly SegmentNote[]): SegmentNote[][] {
  const batches: SegmentNote[][] = []
  let events = Infinity
  for (const note of notes) {
    if (events + note.count > ROWS_AT_ONCE) {
      batches.push([])
      events = 0
    }
    batches[batches.length - 1].push(note)
    events += note.count
  }
  return batches
}

async function copyBatch(copying: Copying, view: StoreView, notes: readonly SegmentNote[]): Promise<void> {
  const { target, numbers } = copying
  const { shard, utcDay, ofImport, isDue, id } = notes[0]
  const read = new Digest()
  const parts = new Map<number, EventColumns[]>()
  for await (const [, columns] of readSegments(view.archive, shard, notes)) {
    await numbers.require(view, columns.device.subarray(0, columns.count))
    read.addEvents(columns, utcDay, numbers.hashOfSource)
    const split = renumber(
      columns,
      (device) => numbers.target(device),
      (device) => device % target.shards,
    )
    for (const [to, part] of split) parts.set(to, [...(parts.get(to) ?? []), part])
  }
  const segments = [...parts].map(([to, columns]): MovedSegment => {
    return { shard: to, utcDay, ofImport, isDue, columns: sortByDevice(columns) }
  })
  const unit = `${shard} ${utcDay} ${id}`
  await target.putSegments({ kind: 'segments', unit, mark: notes.map(keyOf).sort().join(' ') }, segments)
  if (!read.equals(await digestOf(copying, unit))) throw differs(`events of UTC day ${formatDay(utcDay)}`)
  copying.copied.events += read.rows
  copying.onCopied()
}

async function digestOf({ target, numbers }: Copying, unit: string): Promise<Digest> {
  const written = new Digest()
  for (const [shard, segments] of groupBy(await target.segmentsOf(unit), (segment) => segment.shard)) {
    for await (const [{ utcDay }, columns] of readSegments(target.view.archive, shard, segments))
      written.addEvents(columns, utcDay, numbers.hashOfTarget)
  }
  return written
}
