import type { BodyPlace } from '../../src/base/checksum.ts'
import { type Block, decodeBlock as decodeAt, encodeBlock as encodeAt } from '../../src/store/codec/block-codec.ts'
import { BlockColumns } from '../../src/store/codec/block-columns.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'

/** Where a block is that is in no store. */
export const NOWHERE = [0, 0, 0] as const satisfies BodyPlace

export const encodeBlock = (block: Block): Buffer => encodeAt(block, NOWHERE)
export const decodeBlock = (body: Buffer): Block => decodeAt(body, NOWHERE)

/** The rollup of one slot of a block's body, read as a report of few devices reads it; null where there is none. */
export function readSlot(
  body: Buffer,
  slot: number,
  [shard, block, day]: readonly [number, number, number] = NOWHERE,
): DeviceDay | null {
  const columns = new BlockColumns()
  let found: DeviceDay | null = null
  columns.forEach({ bytes: body, shard, block, days: [day] }, () => {
    found = columns.dayOf(slot)
  })
  return found
}
