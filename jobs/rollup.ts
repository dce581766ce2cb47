import type { RollupRequest } from '../src/rollup/rollup-request.ts'
import { daysOf } from './rollup-data.ts'

/** Rolls up due days, and today so far. The store knows which days are due, so a lost or doubled job does no harm. */
export const rollup =
  (now: () => number) =>
  (data: unknown): RollupRequest => ({ now: now(), refresh: true, ...daysOf(data) })
