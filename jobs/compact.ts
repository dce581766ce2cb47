import type { CompactionRequest } from '../src/upkeep/compaction.ts'
import { instantOf } from './rollup-data.ts'

/** Compacts the raw events of closed days that have been rolled up. */
export const compact =
  (now: () => number) =>
  (data: unknown): CompactionRequest => ({ now: instantOf(data, now()) })
