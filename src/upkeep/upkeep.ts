import type { CoolerError } from '../base/errors.ts'
import type { Threads } from '../base/threads.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { type ArchiveReads, LONGEST_DAY_MS } from '../store/archive.ts'
import { isDamage } from '../store/damaged-events.ts'
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
  readonly #archive: ArchiveReads
  readonly #threads: Threads<UpkeepTasks>
  readonly #retentionMs: number | null
  #stopping = false

  /** @param archive for reading. @param retentionMs null keeps raw events for ever. */
  constructor(archive: ArchiveReads, threads: Threads<UpkeepTasks>, retentionMs: number | null) {
    this.#archive = archive
    this.#threads = threads
    this.#retentionMs = retentionMs
  }

  /**
   * Compacts the rolled-up events of UTC days that are over everywhere on Earth. A damaged day stays as it is, and does
   * not keep the others from being compacted.
   *
   * @throws CoolerError `store-damaged` after all other days are done
   */
  async compact(now: number): Promise<UpkeepResult> {
    const result = { days: 0, events: 0 }
    let damage: CoolerError | null = null
    for (const day of await this.#archive.daysToCompact(utcDayOf(now) - 1)) {
      if (this.#stopping) break
      try {
        result.events += await this.#threads.run('compact', day)
        result.days++
      } catch (error) {
        if (!isDamage(error)) throw error
        damage ??= error
      }
    }
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
