import { parseDay } from '../base/time.ts'
import { aheadOf } from '../rollup/due-plan.ts'
import { FURTHEST_DATES } from '../rollup/local-day.ts'
import { BLOCK_DEVICES } from '../store/codec/block-codec.ts'
import { deviceAt } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import type { RollupTimes } from './stored-as-of.ts'
import type { VerifyTask } from './verify-task.ts'

/** The earliest date (epoch day) that an event can have in any zone: `at` is 2000-01-01 or later. */
export const EARLIEST_DAY = (parseDay(20_000_101) as number) - FURTHEST_DATES

/** Most days between a UTC day and the date of a local day that overlaps it, with one to spare. */
export const DATES_OFF = FURTHEST_DATES + 1

/** The scope that all parts of a chunk share, read from one state of the store. */
export interface ChunkScope {
  shard: number
  shards: number
  /** The shard's version, which counts the committed rollups. */
  version: number
  now: number
  /** First and last local day to compare, epoch days; infinite if there is no bound. */
  from: number
  to: number
  /** Raw events before this instant (epoch ms) are gone; 0 if all are there. */
  purgedBefore: number
  times: RollupTimes
  /** How many device numbers the shard has given. */
  registered: number
  /** Devices whose days wait for a rollup. */
  due: ReadonlySet<number>
  /** The requested devices; null for all. */
  selected: ReadonlySet<number> | null
}

/** Reads which days and devices a task covers. */
export async function readScope({ due, archive, registry, rollups }: StoreView, task: VerifyTask): Promise<ChunkScope> {
  const { shard, from, to, devices, now } = task
  const last = (await rollups.lastRollupAt(shard)) ?? -Infinity
  return {
    shard,
    shards: rollups.shards,
    version: await rollups.version(shard),
    now,
    from: from === null || from <= EARLIEST_DAY ? -Infinity : from,
    to: to ?? Infinity,
    purgedBefore: await archive.purgedBefore(),
    times: { last, latest: aheadOf(Math.max(last, now)) },
    registered: (await registry.numberCounts())[shard],
    due: new Set((await due.devices(shard)).map(({ device }) => device)),
    selected: devices === null ? null : new Set(devices),
  }
}

/** Tells whether all days of all events are compared, so that the devices' states can be computed as well. */
export const isWhole = ({ from, to, purgedBefore }: ChunkScope): boolean =>
  from === -Infinity && to === Infinity && purgedBefore === 0

/** Returns the registered devices of a block by slot; null for a slot without a registered device. */
export const devicesOfBlock = (scope: ChunkScope, block: number): (number | null)[] =>
  Array.from({ length: BLOCK_DEVICES }, (_, slot) => {
    const device = deviceAt({ shard: scope.shard, block, slot }, scope.shards)
    return isRegistered(scope, device) ? device : null
  })

/** Tells whether a device number of the chunk's shard has been given. */
export const isRegistered = ({ shards, registered }: ChunkScope, device: number): boolean =>
  device >= 0 && Math.floor(device / shards) < registered
