import type { CoolerError } from '../base/errors.ts'
import type { Threads } from '../base/threads.ts'
import { utcDayOf } from '../base/time.ts'
import { isDamage } from '../store/damaged-events.ts'
import type { Store } from '../store/open-store.ts'
import { type ShardedWork, summed } from '../store/sharded-work.ts'
import type { UpkeepResult } from './upkeep.ts'
import type { UpkeepTasks } from './upkeep-thread.ts'

export interface CompactionRequest {
  /** Instant of the compaction, epoch ms. */
  now: number
}

export interface CompactionResult extends UpkeepResult {
  /** Number of weeks of blocks of devices that were summed. */
  weeks: number
}

const NOTHING: CompactionResult = { days: 0, events: 0, weeks: 0 }

/**
 * Makes room for the days to come, then compacts the rolled-up events of UTC days that are over everywhere on Earth, and
 * sums the rollups of weeks that are. What is damaged stays as it is, and does not keep the rest of its shard from being
 * done; then the shard fails with `store-damaged`.
 */
export class Compaction implements ShardedWork<CompactionRequest, CompactionResult> {
  readonly #store: Pick<Store, 'archive' | 'turns'>
  readonly #threads: Threads<UpkeepTasks>
  readonly #isStopping: () => boolean
  readonly lanes = 1

  /** @param store for reading, and for the turns of shards. @param isStopping tells to leave the rest undone. */
  constructor(store: Pick<Store, 'archive' | 'turns'>, threads: Threads<UpkeepTasks>, isStopping: () => boolean) {
    this.#store = store
    this.#threads = threads
    this.#isStopping = isStopping
  }

  get shards(): number {
    return this.#store.archive.shards
  }

  async begin({ now }: CompactionRequest): Promise<number[]> {
    await this.#threads.run('prepare', { utcDay: utcDayOf(now) })
    return Array.from({ length: this.shards }, (_, shard) => shard)
  }

  runShard({ now }: CompactionRequest, shard: number): Promise<{ result: CompactionResult } | null> {
    return this.#store.turns.withShard(shard, () => this.#compact(shard, utcDayOf(now) - 1))
  }

  async finish(_: CompactionRequest, results: readonly CompactionResult[]): Promise<CompactionResult> {
    return summed(NOTHING, results)
  }

  async #compact(shard: number, beforeDay: number): Promise<CompactionResult> {
    const result = { ...NOTHING }
    let damage: CoolerError | null = null
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      if (this.#isStopping()) return
      await step().catch((error) => {
        if (!isDamage(error)) throw error
        damage ??= error
      })
    }
    for (const { utcDay } of await this.#store.archive.daysToCompact(beforeDay, shard)) {
      await attempt(async () => {
        const events = await this.#threads.run('compact', { shard, utcDay })
        result.events += events
        if (events > 0) result.days++
      })
    }
    await attempt(async () => {
      result.weeks += await this.#threads.run('sum', { shard, beforeDay })
    })
    if (damage !== null) throw damage
    return result
  }
}
