import { FIGURES, type FigureName } from '../../rollup/figures/figures.ts'
import { BLOCK_DEVICES, decodeBlock } from '../../store/codec/block-codec.ts'
import { addDay, newTotals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import { blocksOf } from './blocks-of.ts'
import type { TableRange } from './fleet-table.ts'

/** Returns a figure of devices for each day of a range, in order; null where it is unknown or nothing is stored. */
export async function dailyFigures(
  { rollups }: Pick<StoreView, 'rollups'>,
  devices: readonly number[],
  { fromDay, toDay }: Pick<TableRange, 'fromDay' | 'toDay'>,
  name: FigureName,
): Promise<(number | null)[][]> {
  const { blocks, slots } = blocksOf(Int32Array.from(devices), Int32Array.from(devices.keys()), rollups.shards)
  const days = devices.map(() => new Array<number | null>(toDay - fromDay + 1).fill(null))
  const bySlot = new Map([...slots].map((slot, nth) => [slot, days[nth]]))
  for (const [nth, { shard, block }] of blocks.entries()) {
    for (const { day, body } of await rollups.storedRows(shard, block, fromDay, toDay)) {
      for (const [slot, rollup] of decodeBlock(body, [shard, block, day]).entries()) {
        const values = rollup && bySlot.get(nth * BLOCK_DEVICES + slot)
        if (!rollup || !values) continue
        const totals = newTotals(1)
        addDay(totals, 0, rollup)
        const scaled = FIGURES[name].finalise(totals, 0)
        values[day - fromDay] = scaled === null ? null : scaled / 10 ** FIGURES[name].places
      }
    }
  }
  return days
}
