import type { BodyPlace } from '../../base/checksum.ts'
import { sumOfDays } from '../totals.ts'
import { type Block, emptyBlock, encodeBlock } from './block-codec.ts'

/** Encodes the sums of a block over some days. The same days always give the same bytes. */
export function encodeWeek(days: readonly Block[], place: BodyPlace): Buffer {
  const sums = emptyBlock()
  for (const slot of sums.keys()) {
    const rollups = days.map((block) => block[slot]).filter((rollup) => rollup !== null)
    if (rollups.length > 0) sums[slot] = sumOfDays(rollups)
  }
  return encodeBlock(sums, place)
}
