import type { RollupRequest, RollupResult } from '../src/rollup/rollup-request.ts'

/** Settles the days that have closed by now, of whatever zone. Which these are is known from the store alone. */
export const closeDay = (run: (request: RollupRequest) => Promise<RollupResult>) => (): Promise<RollupResult> =>
  run({ now: Date.now() })
