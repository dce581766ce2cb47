/** Devices of one compacted body: few, so that reading one reads few others, but enough for a body to deflate well. */
const GROUP_DEVICES = 16

/** Returns the group of a device: the number of its compacted body among those of its shard and UTC day. */
export const groupOf = (device: number, shards: number): number =>
  Math.floor(Math.floor(device / shards) / GROUP_DEVICES)
