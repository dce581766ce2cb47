import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'

/** Settles the days that have closed, in all zones. The store alone decides which days these are. */
export const closeDay =
  (run: (request: RollupRequest) => Promise<RollupResult>, now: () => number) => (): Promise<RollupResult> =>
    run({ now: now() })
