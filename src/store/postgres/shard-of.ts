/**
 * Returns the shard of a device by the bytes of its id: FNV-1a of 32 bits, with the final mixing of MurmurHash3, as the
 * low bits of FNV alone repeat in ids that count upwards.
 */
export function shardOf(id: Buffer, shards: number): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id[index], 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % shards
}
