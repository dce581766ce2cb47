import type { NumberRange } from '../store/moving.ts'
import type { RegistryReads } from '../store/registry.ts'

/** Device numbers of each shard that are copied together. */
const NUMBERS_OF_SHARD = 64

const widthOf = (shards: number): number => NUMBERS_OF_SHARD * shards

/** Returns the range that a device number is in. */
export function rangeOf(device: number, shards: number): NumberRange {
  const from = Math.floor(device / widthOf(shards)) * widthOf(shards)
  return { from, to: from + widthOf(shards) }
}

/** Returns ranges with all device numbers that a store has given, ascending. */
export async function numberRanges(registry: RegistryReads, shards: number): Promise<NumberRange[]> {
  const most = Math.max(...(await registry.numberCounts()))
  return Array.from({ length: Math.ceil(most / NUMBERS_OF_SHARD) }, (_, nth) => rangeOf(nth * widthOf(shards), shards))
}
