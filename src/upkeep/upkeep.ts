import type { CoolerError } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import type { Threads } from '../base/threads.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { LONGEST_DAY_MS } from '../store/archive.ts'
import { isDamage } from '../store/damaged-events.ts'
import { eachShard } from '../store/each-shard.ts'
import type { Store } from '../store/open-store.ts'
import type { UpkeepTasks } from './upkeep-thread.ts'

export interface UpkeepResult {
  /** Number of UTC days; compaction counts the days of each shard. */
  days: number
  events: number
}

export interface CompactionResult extends UpkeepResult {
  /** Number of weeks of blocks of devices that were summed. */
  weeks: number
}

/**
 * Compacts closed days and deletes old ones, one day after the other, on a thread of its own. Finished days stay
 * finished if the rest is cut short.
 */
export class Upkeep {
  readonly #store: Pick<Store, 'archive' | 'turns'>
  readonly #threads: Threads<UpkeepTasks>
  readonly #retentionMs: number | null
  #stopping = false

  /** @param store for reading, and for the turns of shards. @param retentionMs null keeps raw events for ever. */
  constructor(store: Pick<Store, 'archive' | 'turns'>, threads: Threads<UpkeepTasks>, retentionMs: number | null) {
    this.#store = store
    this.#threads = threads
    this.#retentionMs = retentionMs
  }

  /**
   * Compacts the rolled-up events of UTC days that are over everywhere on Earth, and sums the rollups of weeks that are.
   * What is damaged stays as it is, and does not keep the rest from being done.
   *
   * @throws CoolerError `store-damaged` after the rest is done
   */
  async compact(now: number): Promise<CompactionResult> {
    const result = { days: 0, events: 0, weeks: 0 }
    const beforeDay = utcDayOf(now) - 1
    let damage: CoolerError | null = null
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      if (this.#stopping) return
      await step().catch((error) => {
        if (!isDamage(error)) throw error
        damage ??= error
      })
    }
    const { archive, turns } = this.#store
    const days = groupBy(await archive.daysToCompact(beforeDay), ({ shard }) => shard)
    await eachShard(
      turns,
      Array.from({ length: archive.shards }, (_, shard) => shard),
      {
        lanes: 1,
        isLeft: async () => !this.#stopping,
        work: async (shard) => {
          for (const day of days.get(shard) ?? []) {
            await attempt(async () => {
              const events = await this.#threads.run('compact', day)
              result.events += events
              if (events > 0) result.days++
            })
          }
          await attempt(async () => {
            result.weeks += await this.#threads.run('sum', { shard, beforeDay })
          })
        },
      },
    )
    if (damage !== null) throw damage
    return result
  }

  /**
   * Deletes the raw events of whole UTC days, earliest first, that are older than the retention plus the longest local
   * day, so that late events are accepted for the whole retention. Stops before a day that something due needs.
   */
  async pruneRaw(now: number): Promise<UpkeepResult> {
    const result = { days: 0, events: 0 }
    if (this.#retentionMs === null) return result
    const beforeUtcDay = utcDayOf(now - this.#retentionMs) - LONGEST_DAY_MS / millisecondsInDay
    while (!this.#stopping) {
      const pruned = await this.#threads.run('prune', { beforeUtcDay })
      if (pruned === null) break
      result.events += pruned.events
      result.days++
    }
    return result
  }

  /** Stops after the current day. */
  stop(): void {
    this.#stopping = true
  }
}
