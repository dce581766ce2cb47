import { BlockColumns } from '../../src/summary/block-codec.ts'
import type { DeviceDay } from '../../src/summary/device-day.ts'

/** The rollup of one slot of a block's body, read as a report of few devices reads it; null where there is none. */
export function readSlot(body: Buffer, slot: number): DeviceDay | null {
  const columns = new BlockColumns()
  columns.open(body)
  columns.read(0)
  return columns.dayOf(slot)
}
