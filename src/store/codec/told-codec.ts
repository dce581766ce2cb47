import type { Told } from '../notices.ts'

/**
 * Encodes bits by device number of one shard: for each device, ascending, the distance of its place in the shard from
 * the one before as a LEB128 number, and one byte of bits.
 */
export function encodeTold(bits: Told['bits'], shards: number): Buffer {
  const bytes: number[] = []
  let last = 0
  for (const device of [...bits.keys()].sort((one, other) => one - other)) {
    const local = Math.floor(device / shards)
    let distance = local - last
    last = local
    for (; distance >= 0x80; distance = Math.floor(distance / 0x80)) bytes.push((distance % 0x80) | 0x80)
    bytes.push(distance, bits.get(device) as number)
  }
  return Buffer.from(bytes)
}

/** Decodes what encodeTold has encoded. Bytes that are cut off are left out. */
export function decodeTold(body: Uint8Array, shard: number, shards: number): Map<number, number> {
  const bits = new Map<number, number>()
  let local = 0
  for (let at = 0; at < body.length; at++) {
    let distance = 0
    for (let scale = 1; ; scale *= 0x80) {
      distance += (body[at] & 0x7f) * scale
      if (body[at++] < 0x80 || at >= body.length) break
    }
    if (at >= body.length) break
    local += distance
    bits.set(local * shards + shard, body[at])
  }
  return bits
}
