/** Later than any instant: the `toAt` of due work without an end. */
export const END_OF_TIME = 8_640_000_000_000_000

/** A landed segment that no rollup has taken up yet. */
export interface DueSegment {
  id: number
  utcDay: number
}

/**
 * A device whose days from that of `fromAt` to that of `toAt` (epoch ms) must be computed again, and why. `toAt` is
 * END_OF_TIME if the bounds of its stored days may have changed.
 */
export interface DueDevice {
  id: number
  device: number
  fromAt: number
  toAt: number
  /** See revision.ts. */
  causes: readonly string[]
}

/** Counts of the work that waits for a rollup. */
export interface DueCounts {
  /** Instant (epoch ms) of the oldest event that no rollup has taken up yet; null without one. */
  oldestDueAt: number | null
  /** Segments that no rollup has taken up yet. */
  dueSegments: number
  /** Entries for devices whose days must be computed again. */
  dueDevices: number
  /** UTC days before that of `now` with a due segment: late events, or days not rolled up yet. */
  lateDays: number
}

/** The work due for rollups. Landings, rollups, registry changes and erasures write it in their own transactions. */
export interface Due {
  segments(shard: number): Promise<DueSegment[]>
  devices(shard: number): Promise<DueDevice[]>
  /** Returns the shards with anything due, ascending. */
  shards(): Promise<number[]>
  counts(now: number): Promise<DueCounts>
}
