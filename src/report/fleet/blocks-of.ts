import { BLOCK_DEVICES } from '../../store/codec/block-codec.ts'
import { type BlockPlace, placeOf } from '../../store/rollup-store.ts'

/** The blocks of some devices, each once. */
export interface DeviceBlocks {
  blocks: BlockPlace[]
  /** For each device, the place of its slot among those of all these blocks: slot s of the n-th is n * BLOCK_DEVICES + s. */
  slots: Int32Array
}

/** Returns the blocks of devices, given as places in a list of device numbers. */
export function blocksOf(numbers: Int32Array, devices: Int32Array, shards: number): DeviceBlocks {
  const slots = new Int32Array(devices.length)
  const blocks: BlockPlace[] = []
  const begun = new Map<number, number>()
  for (let index = 0; index < devices.length; index++) {
    const { shard, block, slot } = placeOf(numbers[devices[index]], shards)
    const key = block * shards + shard
    let nth = begun.get(key)
    if (nth === undefined) {
      begun.set(key, (nth = blocks.length))
      blocks.push({ shard, block })
    }
    slots[index] = nth * BLOCK_DEVICES + slot
  }
  return { blocks, slots }
}
