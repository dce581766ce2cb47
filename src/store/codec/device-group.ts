/** Devices of one compacted body: one of them is read without many others, and a body is still long enough to deflate. */
const GROUP_DEVICES = 16

/** Which compacted body a device's events are in, among those of its shard and UTC day. */
export const groupOf = (device: number, shards: number): number =>
  Math.floor(Math.floor(device / shards) / GROUP_DEVICES)
