import type { Difference } from './difference.ts'

/** What is to be verified. Local days as epoch days, both counted; null is no bound, or all devices. */
export interface VerifyRequest {
  from: number | null
  to: number | null
  /** Device numbers, each once. */
  devices: readonly number[] | null
  /** The present instant, epoch ms. */
  now: number
  /** At most so many differences are told, of all that are counted. */
  most: number
}

/** The part of a request that is done at once, within one state of the store: some blocks of a shard. */
export interface VerifyTask extends VerifyRequest {
  shard: number
  /** Ascending. */
  blocks: readonly number[]
}

export interface VerifyCounts {
  /** Devices that were looked at, those that are due among them. */
  devices: number
  /** Device-days that were compared, stored or not. */
  deviceDays: number
  /** Devices that were not compared, since their days wait for a rollup. */
  dueDevices: number
  /** Device-days that differ only by events that wait for a rollup, or may do so. */
  dueDays: number
  /** Stored device-days that cannot be computed, since their raw events have been deleted. */
  withoutRaw: number
  /** Differences, told or not. */
  differing: number
}

export interface VerifyResult extends VerifyCounts {
  differences: Difference[]
  /** Blocks with a difference. */
  blocks: number[]
}
