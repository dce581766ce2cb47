import { formatDay } from '../base/time.ts'
import { BLOCK_DEVICES, type Block, decodeBlock, emptyBlock } from '../store/codec/block-codec.ts'
import { markOfRollups } from '../store/day-marks.ts'
import { type BlockPlace, type BlockRow, deviceAt, placeOf } from '../store/rollup-store.ts'
import type { DeviceDay } from '../store/statistics.ts'
import type { StoreView } from '../store/view.ts'
import { type Copying, differs, shardParts } from './copying.ts'
import { Digest } from './digest.ts'

/** Copies rollups, day by day: those of one block are spread over the shards of the target. */
export async function copyRollups(copying: Copying): Promise<void> {
  const marks = await copying.target.marks('rollups')
  const days = await copying.snapshot(({ moving }) => moving.rollupDays())
  const all = new Set([...[...marks.keys()].map(Number), ...days.keys()])
  for (const day of [...all].sort((one, other) => one - other)) {
    if (days.get(day) !== marks.get(`${day}`)) await copying.snapshot((view) => copyDay(copying, view, day))
  }
}

async function copyDay(copying: Copying, view: StoreView, day: number): Promise<void> {
  const { target, numbers } = copying
  const rows = await rowsOfDay(view, day)
  const [read, written] = [new Digest(), new Digest()]
  const parts = shardParts(target.shards, rows.length * BLOCK_DEVICES)
  for (const [nth, shards] of parts.entries()) {
    const isLast = nth === parts.length - 1
    const wanted = new Set(shards)
    const blocks = new Map<string, BlockPlace & { rollups: Block }>()
    for (const [device, rollup] of rollupsOf(rows, day, view.rollups.shards)) {
      await numbers.require(view, [device])
      const { slot, ...place } = placeOf(numbers.target(device), target.shards)
      if (isLast) read.addRollup(numbers.hashOfSource(device), day, rollup)
      if (!wanted.has(place.shard)) continue
      const key = `${place.shard} ${place.block}`
      let block = blocks.get(key)
      if (block === undefined) blocks.set(key, (block = { ...place, rollups: emptyBlock() }))
      block.rollups[slot] = rollup
    }
    const mark = isLast && rows.length > 0 ? markOfRollups(rows) : null
    await target.putRollups({ kind: 'rollups', unit: `${day}`, mark }, { day, shards }, [...blocks.values()])
  }
  for (const [device, rollup] of rollupsOf(await rowsOfDay(target.view, day), day, target.shards))
    written.addRollup(numbers.hashOfTarget(device), day, rollup)
  if (!read.equals(written)) throw differs(`rollups of day ${formatDay(day)}`)
  copying.copied.rollups += read.rows
  copying.onCopied()
}

type ShardRow = BlockRow & { shard: number }

async function rowsOfDay({ rollups }: Pick<StoreView, 'rollups'>, day: number): Promise<ShardRow[]> {
  const rows: ShardRow[] = []
  for (let shard = 0; shard < rollups.shards; shard++)
    for (const row of await rollups.blocksOfShard(shard, day, day)) rows.push({ shard, ...row })
  return rows
}

function* rollupsOf(rows: readonly ShardRow[], day: number, shards: number): Generator<[number, DeviceDay]> {
  for (const { shard, block, body } of rows) {
    for (const [slot, rollup] of decodeBlock(body, [shard, block, day]).entries())
      if (rollup !== null) yield [deviceAt({ shard, block, slot }, shards), rollup]
  }
}
