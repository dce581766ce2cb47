import type { CompactionRequest } from '../src/upkeep/compaction.ts'

/** Compacts the raw events of closed days that have been rolled up. */
export const compact = (now: () => number) => (): CompactionRequest => ({ now: now() })
