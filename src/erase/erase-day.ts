import { CoolerError } from '../base/errors.ts'
import { millisecondsInDay } from '../base/time.ts'
import { type EventColumns, TYPE_OF_KIND } from '../event/event-columns.ts'
import { FURTHEST_DATES } from '../rollup/local-day.ts'
import { SeenEvents } from '../rollup/seen-events.ts'
import { takenFrom } from '../store/archive.ts'
import { selectRows } from '../store/codec/select-rows.ts'
import { END_OF_TIME } from '../store/due.ts'
import type { DayErasure, ErasableDay, EraseTarget, ShardDay } from '../store/erase-store.ts'
import type { DeviceState, FurtherDue } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import type { DayTask, Erased, EraseStores, Erasing } from './erase-request.ts'
import { requireNotPurged } from './purged-days.ts'
import { remainingStates } from './remaining-states.ts'

/** Most tries for a day. A try fails only if another transaction has changed the same rows in the meantime. */
const MOST_TRIES = 100

/**
 * Erases the events of a target from one UTC day of a shard, and returns how many events of each type were erased. The
 * same transaction removes the states that the events left, and makes the days computed from them due. All slow work is
 * done before the transaction, and repeated if others have changed the same rows in between.
 *
 * @throws CoolerError `store-busy` if others change the day again and again; `raw-purged`
 */
export async function eraseDay(stores: EraseStores, { erasing, day, dryRun }: DayTask): Promise<Erased['byType']> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { byType, erasure } = await stores.snapshot((view) => prepare(view, erasing, day))
    if (dryRun || erasure === null || (await stores.erasure.eraseDay(erasure))) return byType
  }
  throw new CoolerError('store-busy', 'the same day is rolled up again and again: try again')
}

/** Tells whether a row of columns is to be erased. */
type Goes = (columns: EventColumns, row: number) => boolean

function rowsOf(target: EraseTarget, utcDay: number): Goes {
  if ('import' in target) return ({ imports }, row) => imports !== null && imports[row] === target.import
  const midnight = utcDay * millisecondsInDay
  const { device, fromAt, toAt, kinds } = target
  return (columns, row) =>
    columns.device[row] === device &&
    midnight + columns.at[row] >= fromAt &&
    midnight + columns.at[row] < toAt &&
    (kinds === null || kinds.includes(columns.kind[row]))
}

/** Splits columns into the rows to erase and the rows to keep; returns null if no row is to be erased. */
function split(columns: EventColumns, goes: Goes): { gone: EventColumns; kept: EventColumns } | null {
  const [gone, kept]: [number[], number[]] = [[], []]
  for (let row = 0; row < columns.count; row++) (goes(columns, row) ? gone : kept).push(row)
  return gone.length === 0 ? null : { gone: selectRows(columns, gone), kept: selectRows(columns, kept) }
}

interface Prepared {
  byType: Erased['byType']
  /** Null if there is nothing to do. */
  erasure: DayErasure | null
}

async function prepare(view: StoreView, erasing: Erasing, day: ShardDay): Promise<Prepared> {
  const { target } = erasing
  const { utcDay } = day
  const read = await view.erasure.erasableDay(day, target)
  if ('device' in target && read.purgedBefore !== erasing.purgedBefore) {
    await requireNotPurged(view, { ...target, fromAt: Math.max(target.fromAt, utcDay * millisecondsInDay) })
  }
  // The events have been deleted for their age in the meantime, or soon will be: see takenFrom.
  if ('import' in target && utcDay * millisecondsInDay < takenFrom(read.purgedBefore))
    return { byType: {}, erasure: null }
  const goes = rowsOf(target, utcDay)
  const seen = new SeenEvents(view.rollups.shards)
  const rows = rowsWithout(read, goes, (columns) => seen.add(columns, utcDay))
  const { byType, ...gone } = rows
  const events = Object.values(byType).reduce((sum, count) => sum + count, 0)
  const ofImport = 'import' in target ? target.import : null
  if (events === 0 && ofImport === null) return { byType, erasure: null }
  const remaining = async (devices: readonly number[]): Promise<EventColumns[]> => {
    const all = await view.archive.eventsOfDay(day.shard, utcDay, { devices, which: 'rolled-up' })
    return all.map((columns) => split(columns, goes)?.kept ?? columns)
  }
  const states = await remainingStates(view, day, seen.devices, remaining)
  const due = [...dueOf(seen), ...(await dueWithoutStandIn(view, states))]
  const { version, purgedBefore } = read
  const localDays = { from: utcDay - FURTHEST_DATES, to: utcDay + FURTHEST_DATES }
  const follows = { events, states, due, localDays, import: ofImport }
  return { byType, erasure: { ...day, version, purgedBefore, ...gone, ...follows } }
}

type GoneRows = Pick<DayErasure, 'goneSegments' | 'goneCompacted' | 'segments' | 'compacted'>

/** Returns the rows to erase and their remainders. Calls `onRolledUp` with erased events that had been rolled up. */
function rowsWithout(
  read: ErasableDay,
  goes: Goes,
  onRolledUp: (columns: EventColumns) => void,
): GoneRows & { byType: Erased['byType'] } {
  const byType: Erased['byType'] = {}
  const keptOf = (columns: EventColumns, isDue: boolean): EventColumns | null => {
    const parts = split(columns, goes)
    if (parts === null) return null
    countTypes(parts.gone, byType)
    if (!isDue) onRolledUp(parts.gone)
    return parts.kept
  }
  const touched = <Row extends { id: number; columns: EventColumns; isDue?: boolean }>(rows: readonly Row[]): Row[] =>
    rows.flatMap((row) => {
      const columns = keptOf(row.columns, row.isDue ?? false)
      return columns === null ? [] : [{ ...row, columns }]
    })
  const [segments, compacted] = [touched(read.segments), touched(read.compacted)]
  const isLeft = ({ columns }: { columns: EventColumns }): boolean => columns.count > 0
  return {
    byType,
    goneSegments: segments.map(({ id }) => id),
    goneCompacted: compacted.map(({ id }) => id),
    segments: segments.filter(isLeft),
    compacted: compacted.filter(isLeft),
  }
}

function countTypes({ kind, count }: EventColumns, byType: Erased['byType']): void {
  for (let row = 0; row < count; row++) {
    const type = TYPE_OF_KIND[kind[row]]
    byType[type] = (byType[type] ?? 0) + 1
  }
}

/** Returns the days that become due because erased events had been rolled up into them. */
const dueOf = ({ devices }: SeenEvents): FurtherDue[] =>
  [...devices].flatMap(([device, { spans }]) =>
    spans.map(({ from, to }): FurtherDue => ({ device, fromAt: from, toAt: to, causes: ['erased'] })),
  )

/** Makes every day of a device due if its earliest fix, which stands in for a missing placement, has changed. */
async function dueWithoutStandIn(
  { rollups, registry }: StoreView,
  states: ReadonlyMap<number, DeviceState | null>,
): Promise<FurtherDue[]> {
  const before = await rollups.states([...states.keys()])
  const moved = [...states].flatMap(([device, state]) => {
    const [old, fix] = [before.get(device)?.firstFix, state?.firstFix]
    return state !== null && old != null && (fix == null || fix.lat !== old.lat || fix.lon !== old.lon) ? [device] : []
  })
  const placements = await registry.placements(moved)
  return moved
    .filter((device) => !placements.has(device))
    .map((device) => ({ device, fromAt: 0, toAt: END_OF_TIME, causes: ['erased'] }))
}
