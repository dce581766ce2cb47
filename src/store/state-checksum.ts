import { checksum32, damaged } from '../base/checksum.ts'
import type { DeviceState } from './rollup-store.ts'

/**
 * The checksums of a device's state, two signed integers of 32 bits. Reports of all devices read only the last fix, and
 * check only what they read. A change of any one number changes its checksum for certain.
 */
export interface StateChecksums {
  lastFix: number
  rest: number
}

/** Stands for the latitude and the longitude of a device without a fix. */
export const NO_FIX = 0x7fff_ffff

/** Computes the checksums of a device's state; `address` is the stored address of its last fix. */
export function checksumsOf(
  device: number,
  { firstHeardAt, lastHeardAt, firstFix, lastFix }: DeviceState,
  address: Buffer | null,
): StateChecksums {
  const rest = [
    ...[device, firstHeardAt, lastHeardAt],
    ...[firstFix?.at ?? -1, firstFix?.seq ?? -1, firstFix?.lat ?? NO_FIX, firstFix?.lon ?? NO_FIX],
    ...[lastFix?.at ?? -1, lastFix?.seq ?? -1],
  ]
  const position = checksumOfPosition(device, lastFix?.lat ?? NO_FIX, lastFix?.lon ?? NO_FIX)
  return {
    lastFix: position ^ checksumOfAddress(address),
    rest: checksum32(Buffer.from(Float64Array.from(rest).buffer)),
  }
}

/** Computes the checksum of a position, from numbers only: a report of all devices calls it for each of them. */
export function checksumOfPosition(device: number, lat: number, lon: number): number {
  const hash = Math.imul(device ^ 0x5bd1e995, 0x9e3779b1)
  return Math.imul(Math.imul(hash ^ lat, 0x85ebca6b) ^ (hash >>> 15) ^ lon, 0xc2b2ae35)
}

/** Computes the checksum of an address; 0 for none. */
export const checksumOfAddress = (address: Buffer | null): number => (address === null ? 0 : checksum32(address))

/** Makes the error for a device's state that does not match its checksum. */
export const damagedState = (device: number) =>
  damaged(`what is current of device number ${device}; \`cooler verify --fix\` computes it again`)
