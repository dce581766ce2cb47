import type { RollupRequest } from '../src/rollup/rollup-request.ts'
import { instantOf } from './rollup-data.ts'

/** Settles the days that have closed, in all zones. The store alone decides which days these are. */
export const closeDay =
  (now: () => number) =>
  (data: unknown): RollupRequest => ({ now: instantOf(data, now()) })
