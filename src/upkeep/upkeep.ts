import type { Threads } from '../base/threads.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { LONGEST_DAY_MS } from '../store/archive.ts'
import type { Store } from '../store/open-store.ts'
import { runShards } from '../store/sharded-work.ts'
import { Compaction, type CompactionResult } from './compaction.ts'
import type { UpkeepTasks } from './upkeep-thread.ts'

export interface UpkeepResult {
  /** Number of UTC days; compaction counts the days of each shard. */
  days: number
  events: number
}

/**
 * Compacts closed days and deletes old ones, one day after the other, on a thread of its own. Finished days stay
 * finished if the rest is cut short.
 */
export class Upkeep {
  readonly compaction: Compaction
  readonly #threads: Threads<UpkeepTasks>
  readonly #retentionMs: number | null
  #stopping = false

  /** @param store for reading, and for the turns of shards. @param retentionMs null keeps raw events for ever. */
  constructor(store: Pick<Store, 'archive' | 'turns'>, threads: Threads<UpkeepTasks>, retentionMs: number | null) {
    this.compaction = new Compaction(store, threads, () => this.#stopping)
    this.#threads = threads
    this.#retentionMs = retentionMs
  }

  /** Compacts all shards; see Compaction. @throws CoolerError `store-damaged` after the rest is done */
  compact(now: number): Promise<CompactionResult> {
    return runShards(this.compaction, { now })
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
