import type { RollupResult } from './rollup-request.ts'

/** Rolls up on request, on this process's threads or a queue's workers. Days are epoch days, both ends included. */
export interface Rollups {
  /** Rolls up what is due, and these days whether they are due or not; resolves when the results are stored. */
  run(days: { from: number; to: number }): Promise<RollupResult>
  /** Requests the same without waiting for it; resolves when it is certain to be done. */
  request(days: { from: number; to: number }): Promise<void>
}
