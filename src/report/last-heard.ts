import type { LocalDay } from '../rollup/local-day.ts'
import { StoredRollups } from '../rollup/stored-rollups.ts'
import type { DeviceState, RollupReads } from '../store/rollup-store.ts'

/** Looks up when devices were heard last before days on which nothing was heard of them. */
export class LastHeard {
  readonly #rollups: RollupReads
  readonly #rows = new Map<number, StoredRollups>()

  constructor(rollups: RollupReads) {
    this.#rollups = rollups
  }

  /** Returns the instant (epoch ms) of the last event before the end of a day; null before the first. */
  async before(
    device: number,
    day: number,
    local: LocalDay | null,
    state: DeviceState | undefined,
  ): Promise<number | null> {
    if (state === undefined) return null
    if (local !== null && state.firstHeardAt >= local.end) return null
    if (local !== null && state.lastHeardAt < local.end) return state.lastHeardAt
    const shard = device % this.#rollups.shards
    let rows = this.#rows.get(shard)
    if (rows === undefined) this.#rows.set(shard, (rows = new StoredRollups(this.#rollups, shard)))
    const known = rows
    return (await known.found(() => known.next(device, day, -1)))?.rollup.lastHeardAt || null
  }
}
