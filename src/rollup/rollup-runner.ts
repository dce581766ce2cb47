import type { Threads } from '../base/threads.ts'
import type { Store } from '../store/open-store.ts'
import { aheadOf } from './due-plan.ts'
import type { RollupRequest, RollupResult } from './rollup-request.ts'
import type { RollupTasks } from './rollup-thread.ts'
import type { Adopted } from './rules.ts'

/**
 * Rolls up all shards that have something due, on all threads. Requests run one after the other, so that the second of
 * two finds only what the first left.
 */
export class RollupRunner {
  readonly #store: Store
  readonly #threads: Threads<RollupTasks>
  #last: Promise<unknown> = Promise.resolve()

  /** @param store for reading what is due; the threads have connections of their own. */
  constructor(store: Store, threads: Threads<RollupTasks>) {
    this.#store = store
    this.#threads = threads
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
    const shards = await this.#shards(request)
    const results = await Promise.allSettled(shards.map((shard) => this.#threads.run('rollUp', { shard, request })))
    const total = { deviceDays: 0, events: 0, repeats: 0, passes: 0 }
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason
      total.deviceDays += result.value.deviceDays
      total.events += result.value.events
      total.repeats += result.value.repeats
      total.passes += result.value.passes
    }
    await this.#threads.run('note', { now: request.now })
    return total
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
