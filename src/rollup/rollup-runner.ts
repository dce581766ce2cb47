import type { Threads } from '../base/threads.ts'
import type { Store } from '../store/open-store.ts'
import { runShards, type ShardedWork, summed } from '../store/sharded-work.ts'
import { aheadOf } from './due-plan.ts'
import type { RollupRequest, RollupResult } from './rollup-request.ts'
import type { RollupTasks } from './rollup-thread.ts'
import type { Adopted } from './rules.ts'

/** A shard whose open days were computed as of so shortly before a request is not refreshed again for it. */
const FRESH_MS = 5000

const NOTHING: RollupResult = { deviceDays: 0, events: 0, repeats: 0, passes: 0 }

/** Rolls up the shards that have something due, on threads, each in its turn. */
export class RollupRunner implements ShardedWork<RollupRequest, RollupResult> {
  readonly #store: Store
  readonly #threads: Threads<RollupTasks>
  readonly lanes: number

  /** @param store for reading what is due; each of the `lanes` threads has connections of its own. */
  constructor(store: Store, threads: Threads<RollupTasks>, lanes: number) {
    this.#store = store
    this.#threads = threads
    this.lanes = lanes
  }

  get shards(): number {
    return this.#store.archive.shards
  }

  /** Rolls up what is due; resolves when what was due at the call is stored. Retryable errors leave some of it due. */
  run(request: RollupRequest): Promise<RollupResult> {
    return runShards(this, request)
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

  async begin({ days, refresh, now }: RollupRequest): Promise<number[]> {
    const { due, rollups } = this.#store
    if (days !== undefined) return Array.from({ length: this.shards }, (_, shard) => shard)
    const shards = [
      ...(await due.shards()),
      ...(await rollups.openShards(refresh ? Number.MAX_SAFE_INTEGER : now)),
      ...(await rollups.shardsRolledUpAfter(aheadOf(now))),
    ]
    return [...new Set(shards)].sort((one, other) => one - other)
  }

  runShard(request: RollupRequest, shard: number): Promise<{ result: RollupResult } | null> {
    return this.#store.turns.withShard(shard, async () =>
      (await this.#isLeft(shard, request)) ? this.#threads.run('rollUp', { shard, request }) : NOTHING,
    )
  }

  async finish({ now }: RollupRequest, results: readonly RollupResult[]): Promise<RollupResult> {
    await this.#threads.run('note', { now })
    return summed(NOTHING, results)
  }

  /** Tells whether a shard still has anything to do for a request, or whether another worker has just done it. */
  async #isLeft(shard: number, { days, refresh = false, isShared = false, now }: RollupRequest): Promise<boolean> {
    const { due, rollups } = this.#store
    if (days !== undefined) return true
    const lastAt = (await rollups.lastRollupAt(shard)) ?? -Infinity
    if (isShared && lastAt === now) return false
    if (lastAt > aheadOf(now) || (refresh && lastAt < now - FRESH_MS)) return true
    return (
      (await due.segments(shard)).length > 0 ||
      (await due.devices(shard)).length > 0 ||
      (await rollups.openBlocks(shard, now)).length > 0
    )
  }
}
