import { type BodyPlace, checksum32, codecVersion, seal, unseal } from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'
import { formatDay } from '../../base/time.ts'
import type { Told } from '../notices.ts'

/** Key of a row of reported exceptions; `day` is an epoch day. */
export interface ToldPlace {
  shard: number
  day: number
  subscription: string
}

const VERSION = 1

const placeOf = ({ shard, day, subscription }: ToldPlace): BodyPlace => [
  shard,
  day,
  checksum32(Buffer.from(subscription)),
]

/**
 * Encodes bits by device number of one shard: the version; then for each device, ascending, the distance of its place in
 * the shard from the one before as a LEB128 number, and one byte of bits.
 */
export function encodeTold(bits: Told['bits'], place: ToldPlace, shards: number): Buffer {
  const bytes = [VERSION]
  let last = 0
  for (const device of [...bits.keys()].sort((one, other) => one - other)) {
    const local = Math.floor(device / shards)
    let distance = local - last
    last = local
    for (; distance >= 0x80; distance = Math.floor(distance / 0x80)) bytes.push((distance % 0x80) | 0x80)
    bytes.push(distance, bits.get(device) as number)
  }
  return seal(Buffer.from(bytes), placeOf(place))
}

/** Decodes what encodeTold has encoded. @throws CoolerError `store-damaged` */
export function decodeTold(stored: Buffer, place: ToldPlace, shards: number): Map<number, number> {
  const body = open(stored, place)
  const bits = new Map<number, number>()
  let local = 0
  for (let at = 1; at < body.length; at++) {
    for (let scale = 1; ; scale *= 0x80) {
      local += (body[at] & 0x7f) * scale
      if (body[at++] < 0x80) break
    }
    bits.set(local * shards + place.shard, body[at])
  }
  return bits
}

function open(stored: Buffer, place: ToldPlace): Buffer {
  let cause: unknown = null
  try {
    const body = unseal(stored, placeOf(place))
    if (stored.length > body.length && codecVersion(body) === VERSION) return body
  } catch (error) {
    cause = error
  }
  const { day, subscription } = place
  throw new CoolerError(
    'store-damaged',
    `what subscription ${JSON.stringify(subscription)} was told of ${formatDay(day)} cannot be read: remove the subscription and add it again`,
    { cause },
  )
}
