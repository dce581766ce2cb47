import { utcDayOf } from '../base/time.ts'
import type { EventColumns } from '../event/event-columns.ts'
import { compareFixes, type Seen, SeenEvents } from '../rollup/seen-events.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import type { ShardDay } from '../store/erase-store.ts'
import { type DeviceState, placeOf } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'

type Stores = Pick<StoreView, 'archive' | 'rollups'>

/** The search for a device's state in one direction of time, from the day of the erased events. */
interface Wanted {
  state: DeviceState
  /** The instant of the first (last) event, and the first (last) fix; undefined until found, and if not needed. */
  needsHeard: boolean
  needsFix: boolean
  heardAt?: number
  fix?: Seen['lastFix']
}

/**
 * Returns the states that devices have once some of their rolled-up events of one UTC day are erased: null for a device
 * that is left without any event, and no entry for one whose state does not change. `erased` summarises the events to
 * erase, `remaining` returns the day's other rolled-up events.
 */
export async function remainingStates(
  stores: Stores,
  day: ShardDay,
  erased: ReadonlyMap<number, Seen>,
  remaining: (devices: readonly number[]) => Promise<readonly EventColumns[]>,
): Promise<Map<number, DeviceState | null>> {
  const states = await stores.rollups.states([...erased.keys()])
  const [before, after] = [new Map<number, Wanted>(), new Map<number, Wanted>()]
  for (const [device, state] of states) {
    const { spans, firstFix, lastFix } = erased.get(device) as Seen
    const isFirst = spans[0].from <= state.firstHeardAt
    const isLast = spans[0].to >= state.lastHeardAt
    const isFirstFix = firstFix !== null && state.firstFix !== null && compareFixes(firstFix, state.firstFix) <= 0
    const isLastFix = lastFix !== null && state.lastFix !== null && compareFixes(lastFix, state.lastFix) >= 0
    if (isFirst || isFirstFix) after.set(device, { state, needsHeard: isFirst, needsFix: isFirstFix })
    if (isLast || isLastFix) before.set(device, { state, needsHeard: isLast, needsFix: isLastFix })
  }
  const devices = [...new Set([...before.keys(), ...after.keys()])]
  if (devices.length === 0) return new Map()
  const own = await remaining(devices)
  await look(stores, day, 1, after, own)
  await look(stores, day, -1, before, own)
  const result = new Map<number, DeviceState | null>()
  for (const device of devices) {
    const state = states.get(device) as DeviceState
    result.set(device, await stateOf(stores, device, state, after.get(device), before.get(device)))
  }
  return result
}

/** Goes from day to day, forwards or backwards, until everything wanted is found or there are no more days. */
async function look(
  { archive, rollups }: Stores,
  { shard, utcDay }: ShardDay,
  direction: 1 | -1,
  wanted: ReadonlyMap<number, Wanted>,
  ofFirstDay: readonly EventColumns[],
): Promise<void> {
  const pending = new Map(wanted)
  for (let day: number | null = utcDay; day !== null && pending.size > 0; ) {
    const devices = [...pending.keys()]
    const events = day === utcDay ? ofFirstDay : await archive.eventsOfDay(shard, day, { devices, which: 'rolled-up' })
    const seen = new SeenEvents(rollups.shards)
    for (const columns of events) seen.add(columns, day)
    for (const [device, one] of pending) {
      const own = seen.devices.get(device)
      if (own === undefined) continue
      one.heardAt ??= direction > 0 ? own.spans[0].from : own.spans[0].to
      one.fix ??= direction > 0 ? own.firstFix : own.lastFix
    }
    const bound = boundOf(pending, direction)
    for (const [device, one] of pending) if (isFound(one)) pending.delete(device)
    day = direction > 0 ? await archive.nextDay(shard, day + 1) : await archive.lastDay(shard, day - 1)
    if (day !== null && direction * day > direction * bound) return
  }
}

const isFound = ({ needsHeard, needsFix, heardAt, fix }: Wanted): boolean =>
  (!needsHeard || heardAt !== undefined) && (!needsFix || fix != null)

/** Returns the last UTC day, in the given direction, on which any pending device has been heard. */
function boundOf(pending: ReadonlyMap<number, Wanted>, direction: 1 | -1): number {
  const instants = [...pending.values()].map(({ state }) => (direction > 0 ? state.lastHeardAt : state.firstHeardAt))
  return utcDayOf(instants.reduce((one, other) => (direction > 0 ? Math.max(one, other) : Math.min(one, other))))
}

async function stateOf(
  stores: Stores,
  device: number,
  state: DeviceState,
  after: Wanted | undefined,
  before: Wanted | undefined,
): Promise<DeviceState | null> {
  // The first event is erased and no later one was found, so the device has no event left.
  if (after?.needsHeard && after.heardAt === undefined) return null
  const firstHeardAt = after?.needsHeard ? (after.heardAt as number) : state.firstHeardAt
  const lastHeardAt = before?.needsHeard
    ? (before.heardAt ?? (await lastHeardBeforePurge(stores, device)) ?? firstHeardAt)
    : state.lastHeardAt
  const firstFix = after?.needsFix ? (after.fix ?? null) : state.firstFix
  return {
    firstHeardAt,
    lastHeardAt,
    firstFix: firstFix && { at: firstFix.at, seq: firstFix.seq, lat: firstFix.lat, lon: firstFix.lon },
    lastFix: before?.needsFix ? (before.fix ?? null) : state.lastFix,
  }
}

/** Returns when a device was last heard before the kept raw events, as its rollups carry it; null if no rollup does. */
async function lastHeardBeforePurge({ archive, rollups }: Stores, device: number): Promise<number | null> {
  const { shard, block, slot } = placeOf(device, rollups.shards)
  const purgedBefore = await archive.purgedBefore()
  let day = Infinity
  for (;;) {
    const row = await rollups.neighbour(shard, block, day, -1)
    if (row === null) return null
    const rollup = decodeBlock(row.body, [shard, block, row.day])[slot]
    if (rollup !== null && rollup.startAt < purgedBefore && rollup.lastHeardAt > 0) return rollup.lastHeardAt
    day = row.day
  }
}
