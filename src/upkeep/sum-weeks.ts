import type { CoolerError } from '../base/errors.ts'
import { isDamage } from '../store/damaged-events.ts'
import type { RollupStore } from '../store/rollup-store.ts'

/**
 * Sums the weeks of a shard that end before a day (epoch day) and have no sums yet. What a rollup changes meanwhile is
 * left to the next time. Returns the number of weeks, counted for each block.
 *
 * @throws CoolerError `store-damaged` after all blocks without damage are done
 */
export async function sumWeeks(rollups: RollupStore, shard: number, beforeDay: number): Promise<number> {
  let summed = 0
  let damage: CoolerError | null = null
  for (const [block, weeks] of await rollups.weeksToSum(shard, beforeDay)) {
    try {
      if (await rollups.sumWeeks(shard, block, weeks)) summed += weeks.length
    } catch (error) {
      if (!isDamage(error)) throw error
      damage ??= error
    }
  }
  if (damage !== null) throw damage
  return summed
}
