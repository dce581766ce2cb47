import { utcDayOf } from '../base/time.ts'
import { BLOCK_DEVICES } from '../store/codec/block-codec.ts'
import { placeOf } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import type { VerifyRequest, VerifyTask } from './verify-task.ts'

type Reads = Pick<StoreView, 'archive' | 'registry' | 'rollups'>

/**
 * Target size of a chunk. SQLite's log must keep the one state of the store that a chunk reads until the chunk is done:
 * some ten seconds with this many device-days of 250 events.
 */
const DEVICE_DAYS = 100_000

/**
 * Each chunk reads a UTC day that is not compacted in full. If there are more such days than this, chunks are as large
 * as memory allows.
 */
const FEW_LOOSE_DAYS = 8

/** Most blocks of a chunk. Bounds a thread's memory: a day's events of the devices, with folds, take some 50 MB. */
const MOST_BLOCKS = 64

/** Splits a request into chunks: all blocks of all shards, or the blocks of the requested devices. */
export async function planChunks(stores: Reads, request: VerifyRequest): Promise<VerifyTask[]> {
  const blocks = request.devices === null ? await allBlocks(stores) : blocksOf(request.devices, stores.rollups.shards)
  const most = await blocksPerChunk(stores, request)
  const chunks: VerifyTask[] = []
  for (const [shard, ofShard] of blocks) {
    const size = most(shard)
    for (let from = 0; from < ofShard.length; from += size) {
      chunks.push({ ...request, shard, blocks: ofShard.slice(from, from + size) })
    }
  }
  return chunks
}

/** Returns by shard the blocks of all devices, and stored blocks beyond the last device, which should not exist. */
async function allBlocks({ registry, rollups }: Reads): Promise<Map<number, number[]>> {
  const blocks = new Map<number, number[]>()
  for (const [shard, numbers] of (await registry.numberCounts()).entries()) {
    const count = Math.ceil(numbers / BLOCK_DEVICES)
    blocks.set(shard, [...Array(count).keys(), ...(await rollups.blocksBeyond(shard, count))])
  }
  return blocks
}

function blocksOf(devices: readonly number[], shards: number): Map<number, number[]> {
  const blocks = new Map<number, number[]>()
  for (const device of devices.toSorted((one, other) => one - other)) {
    const { shard, block } = placeOf(device, shards)
    const ofShard = blocks.get(shard)
    if (ofShard === undefined) blocks.set(shard, [block])
    else if (ofShard[ofShard.length - 1] !== block) ofShard.push(block)
  }
  return blocks
}

async function blocksPerChunk(
  { archive }: Reads,
  { from, to, now }: VerifyRequest,
): Promise<(shard: number) => number> {
  const today = utcDayOf(now) + 1
  const loose = new Map<number, number>()
  for (const { shard } of await archive.daysToCompact(today + 1)) loose.set(shard, (loose.get(shard) ?? 0) + 1)
  let first = today
  for (let shard = 0; shard < archive.shards; shard++)
    first = Math.min(first, (await archive.nextDay(shard, 0)) ?? today)
  const days = Math.max(1, Math.min(to ?? today, today) - Math.max(from ?? first, first) + 1)
  const bySize = Math.ceil(DEVICE_DAYS / (days * BLOCK_DEVICES))
  return (shard) => ((loose.get(shard) ?? 0) > FEW_LOOSE_DAYS ? MOST_BLOCKS : Math.min(bySize, MOST_BLOCKS))
}
