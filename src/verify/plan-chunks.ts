import { utcDayOf } from '../base/time.ts'
import { BLOCK_DEVICES } from '../store/codec/block-codec.ts'
import { placeOf } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import type { VerifyRequest, VerifyTask } from './verify-task.ts'

type Reads = Pick<StoreView, 'archive' | 'registry' | 'rollups'>

/**
 * A chunk is done within one state of the store, which SQLite's log has to keep for so long: some ten seconds with this
 * many device-days of 250 events.
 */
const DEVICE_DAYS = 100_000

/**
 * A UTC day that has not been compacted is read in whole for each chunk: where there are more of them than this, chunks
 * are as large as memory allows.
 */
const FEW_LOOSE_DAYS = 8

/** It bounds the memory of a thread: a day's events of so many devices, and their folds, take some 50 MB. */
const MOST_BLOCKS = 64

/** Splits a request into chunks: all blocks of all shards, or those of the devices asked for. */
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

/** By shard. Rows where no device is should not be there. */
async function allBlocks({ registry, rollups }: Reads): Promise<Map<number, number[]>> {
  const { shards } = rollups
  const devices = await registry.numberCount()
  const blocks = new Map<number, number[]>()
  for (let shard = 0; shard < shards; shard++) {
    const count = Math.max(0, Math.ceil(Math.ceil((devices - shard) / shards) / BLOCK_DEVICES))
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
