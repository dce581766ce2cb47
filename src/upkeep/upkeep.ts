import type { CoolerError } from '../base/errors.ts'
import type { Threads } from '../base/threads.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { type ArchiveReads, LONGEST_DAY_MS } from '../store/archive.ts'
import { isDamage } from '../store/damaged-events.ts'
import type { UpkeepTasks } from './upkeep-thread.ts'

export interface UpkeepResult {
  /** UTC days, of a shard each where days are compacted. */
  days: number
  events: number
}

/**
 * Compaction of closed days and deletion of old ones, on a thread of its own, one day after the other: every day done
 * is done, whenever the rest is cut short.
 */
export class Upkeep {
  readonly #archive: ArchiveReads
  readonly #threads: Threads<UpkeepTasks>
  readonly #retentionMs: number | null
  #stopping = false

  /** @param raw for reading. @param retentionMs null keeps raw events for ever. */
  constructor(archive: ArchiveReads, threads: Threads<UpkeepTasks>, retentionMs: number | null) {
    this.#archive = archive
    this.#threads = threads
    this.#retentionMs = retentionMs
  }

  /**
   * Compacts what has landed for UTC days that are over everywhere on Earth, as far as it has been rolled up. A day that
   * is damaged stays as it is, and keeps no other from being compacted.
   *
   * @throws CoolerError `store-damaged` when all others are done
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
   * Deletes the raw events of whole UTC days, earliest first, that are older than the retention and the longest local
   * day together (so that late events are taken for all of the retention); stops before a day that something due needs.
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

  /** Ends after the day in hand. */
  stop(): void {
    this.#stopping = true
  }
}
