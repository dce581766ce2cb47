/** Beyond any instant: what is due has no end. */
export const END_OF_TIME = 8_640_000_000_000_000

/** A landed segment that no rollup has taken up yet. */
export interface DueSegment {
  id: number
  utcDay: number
}

/**
 * A device whose days from the one of `fromAt` to that of `toAt` must be computed again (epoch ms), and why; up to
 * END_OF_TIME where its days may have other bounds than those that are stored.
 */
export interface DueDevice {
  id: number
  device: number
  fromAt: number
  toAt: number
  /** See revision.ts. */
  causes: readonly string[]
}

/** How much waits for a rollup. */
export interface DueCounts {
  /** Instant (epoch ms) of the oldest event that no rollup has taken up yet; null without one. */
  oldestDueAt: number | null
  /** Segments that no rollup has taken up yet. */
  dueSegments: number
  /** Entries for devices whose days must be computed again. */
  dueDevices: number
  /** UTC days before that of `now` that have such a segment: late events, or days not rolled up yet. */
  lateDays: number
}

/** What rollups have still to take up: landings, rollups, changes of the registry and erasures write it as they commit. */
export interface Due {
  segments(shard: number): Promise<DueSegment[]>
  devices(shard: number): Promise<DueDevice[]>
  /** Shards with anything due, ascending. */
  shards(): Promise<number[]>
  counts(now: number): Promise<DueCounts>
}
