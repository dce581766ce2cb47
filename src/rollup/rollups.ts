import type { RollupResult } from './rollup-request.ts'

/** Who is asked to roll up: this process's threads, or a queue's workers. Days are epoch days, both ends counted. */
export interface Rollups {
  /** Rolls up what is due and, whether due or not, these days; resolves when it is stored. */
  run(days: { from: number; to: number }): Promise<RollupResult>
  /** The same without waiting: resolves when it is certain to be done. */
  request(days: { from: number; to: number }): Promise<void>
}
