import type { Difference } from './difference.ts'

/** A request to verify. Local days are epoch days, both bounds included; null for no bound, or for all devices. */
export interface VerifyRequest {
  from: number | null
  to: number | null
  /** Device numbers, each once. */
  devices: readonly number[] | null
  /** The present instant, epoch ms. */
  now: number
  /** Most differences to report; all are counted. */
  most: number
}

/** A part of a request: some blocks of a shard, verified together within one state of the store. */
export interface VerifyTask extends VerifyRequest {
  shard: number
  /** Ascending. */
  blocks: readonly number[]
}

export interface VerifyCounts {
  /** Devices that were looked at, including due ones. */
  devices: number
  /** Device-days that were compared, stored or not. */
  deviceDays: number
  /** Devices that were not compared because their days wait for a rollup. */
  dueDevices: number
  /** Device-days that differ, perhaps only because events still wait for a rollup. */
  dueDays: number
  /** Stored device-days that cannot be computed because their raw events have been deleted. */
  withoutRaw: number
  /** Differences, reported or not. */
  differing: number
}

export interface VerifyResult extends VerifyCounts {
  differences: Difference[]
  /** Blocks with a difference. */
  blocks: number[]
}
