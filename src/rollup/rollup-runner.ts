import type { Threads } from '../base/threads.ts'
import { eachShard } from '../store/each-shard.ts'
import type { Store } from '../store/open-store.ts'
import { aheadOf } from './due-plan.ts'
import type { RollupRequest, RollupResult } from './rollup-request.ts'
import type { RollupTasks } from './rollup-thread.ts'
import type { Adopted } from './rules.ts'

/** A shard whose open days were computed as of so shortly before a request is not refreshed again for it. */
const FRESH_MS = 5000

/**
 * Rolls up all shards that have something due, on all threads, each in its turn: of several workers on one store, each
 * takes the shards that no other one has. Requests of one process run one after the other.
 */
export class RollupRunner {
  readonly #store: Store
  readonly #threads: Threads<RollupTasks>
  readonly #lanes: number
  #last: Promise<unknown> = Promise.resolve()

  /** @param store for reading what is due; each of the `lanes` threads has connections of its own. */
  constructor(store: Store, threads: Threads<RollupTasks>, lanes: number) {
    this.#store = store
    this.#threads = threads
    this.#lanes = lanes
  }

  /** Rolls up what is due; resolves when what was due at the call is stored. Retryable errors leave some of it due. */
  run(request: RollupRequest): Promise<RollupResult> {
    const run = this.#last.then(() => this.#run(request))
    this.#last = run.catch(() => undefined)
    return run
  }

  /**
   * Makes the settings and the time zone data of this process the rules by which the store is rolled up. Returns which
   * days became due by it.
   *
   * @throws CoolerError `other-rules` if the store is rolled up with newer time zone data
   */
  adoptRules(now: number): Promise<Adopted> {
    return this.#threads.run('adopt', { now })
  }

  /** Records the clocks of zones that are new in the store; see noteZoneClocks. */
  noteZones(): Promise<void> {
    return this.#threads.run('noteZones', undefined)
  }

  async #run(request: RollupRequest): Promise<RollupResult> {
    const total = { deviceDays: 0, events: 0, repeats: 0, passes: 0 }
    await eachShard(this.#store.turns, await this.#shards(request), {
      lanes: this.#lanes,
      isLeft: (shard) => this.#isLeft(shard, request),
      work: async (shard) => {
        const result = await this.#threads.run('rollUp', { shard, request })
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += result[name]
      },
    })
    await this.#threads.run('note', { now: request.now })
    return total
  }

  /** Tells whether a shard still has anything to do for a request, or whether another worker has just done it. */
  async #isLeft(shard: number, { days, refresh = false, now }: RollupRequest): Promise<boolean> {
    const { due, rollups } = this.#store
    if (days !== undefined) return true
    const lastAt = (await rollups.lastRollupAt(shard)) ?? -Infinity
    if (lastAt > aheadOf(now) || (refresh && lastAt < now - FRESH_MS)) return true
    return (
      (await due.segments(shard)).length > 0 ||
      (await due.devices(shard)).length > 0 ||
      (await rollups.openBlocks(shard, now)).length > 0
    )
  }

  async #shards({ days, refresh, now }: RollupRequest): Promise<number[]> {
    const { due, archive, rollups } = this.#store
    if (days !== undefined) return Array.from({ length: archive.shards }, (_, shard) => shard)
    const shards = [
      ...(await due.shards()),
      ...(await rollups.openShards(refresh ? Number.MAX_SAFE_INTEGER : now)),
      ...(await rollups.shardsRolledUpAfter(aheadOf(now))),
    ]
    return [...new Set(shards)].sort((one, other) => one - other)
  }
}
