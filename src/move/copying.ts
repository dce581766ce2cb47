import { CoolerError } from '../base/errors.ts'
import type { MoveTarget } from '../store/moving.ts'
import type { Snapshot } from '../store/view.ts'
import type { DeviceNumbers } from './device-numbers.ts'

/** What has been copied so far, and is reported as progress. */
export interface Copied {
  devices: number
  events: number
  /** Device-days. */
  rollups: number
}

/** What the parts of a move work with. */
export interface Copying {
  target: MoveTarget
  numbers: DeviceNumbers
  /** Runs reads on a state of the source: a new one each time, or always the same. */
  snapshot: Snapshot
  copied: Copied
  onCopied: () => void
}

/** Events, or device-days, that one transaction writes; all of them are in memory together. */
export const ROWS_AT_ONCE = 1_000_000

/** Splits the shards of a target so that about ROWS_AT_ONCE of so many rows are of each part. */
export function shardParts(shards: number, rows: number): number[][] {
  const width = Math.max(1, Math.ceil(shards / Math.max(1, Math.ceil(rows / ROWS_AT_ONCE))))
  return Array.from({ length: Math.ceil(shards / width) }, (_, nth) =>
    Array.from({ length: Math.min(width, shards - nth * width) }, (_, index) => nth * width + index),
  )
}

/** Makes the error for a part that reads differently in the target. */
export const differs = (what: string): CoolerError =>
  new CoolerError('store-damaged', `${what} were copied, but differ in the target: run the move again, to a new target`)
