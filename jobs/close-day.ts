import type { RollupRequest } from '../src/rollup/rollup-request.ts'

/** Settles the days that have closed, in all zones. The store alone decides which days these are. */
export const closeDay = (now: () => number) => (): RollupRequest => ({ now: now() })
