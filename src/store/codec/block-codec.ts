import {
  type BodyPlace,
  CHECKSUM_BYTES,
  checkSealed,
  codecVersion,
  damaged,
  isSealed,
  seal,
} from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'
import { type DeviceDay, emptyDeviceDay, hasResumed, LASTING_STATISTICS } from '../device-day.ts'
import { STATISTIC_NAMES } from '../statistics.ts'
import { namePeriod } from '../week.ts'

/**
 * A block holds the rollups of up to 64 neighbouring devices of a shard on one local day, as columns:
 *
 *     byte 0 codec version        bytes 8-15 bit i of a 64-bit set: slot i is used    then each field of DeviceDay:
 *     1 byte width w (0, 1, 2, 4 or 8), float64 base, and for each used slot, in order, the value:
 *     w = 8: as float64; else base + an unsigned integer of w bytes (w = 0: all are base)
 *
 * It is sealed (checksum.ts) for its place: shard, block and day. The same rollups always give the same bytes. Widths
 * depend on the values, so a quiet day takes about 40 bytes per device.
 */
const VERSION = 3
/** Marks a block without the columns of role `resumed`, which only open days need. */
const SETTLED_VERSION = 2
/** Version 1 lacks `closesAfterMs` too, because all of its past days had closed. */
const FIELDS: Record<number, readonly (keyof DeviceDay)[]> = {
  1: STATISTIC_NAMES.slice(0, STATISTIC_NAMES.indexOf('closesAfterMs')),
  [SETTLED_VERSION]: LASTING_STATISTICS,
  [VERSION]: STATISTIC_NAMES,
}
export const HEADER_BYTES = 16
export const COLUMN_HEADER_BYTES = 9

/** Devices of one block. */
export const BLOCK_DEVICES = 64

/** The rollups of one block and day by slot, 0 to 63; a slot without one is null. */
export type Block = (DeviceDay | null)[]

/** Makes a block of devices without rollups. */
export const emptyBlock = (): Block => new Array<DeviceDay | null>(BLOCK_DEVICES).fill(null)

/** Encodes a block as a sealed body. */
export const encodeBlock = (block: Block, place: BodyPlace): Buffer => seal(encodePlain(block), place)

function encodePlain(block: Block): Buffer {
  const days = block.filter((day) => day !== null)
  const version = days.some(hasResumed) ? VERSION : SETTLED_VERSION
  const fields = FIELDS[version]
  const body = Buffer.alloc(HEADER_BYTES + fields.length * (COLUMN_HEADER_BYTES + days.length * 8))
  body[0] = version
  block.forEach((day, slot) => {
    if (day !== null) setSlot(body, slot)
  })
  let offset = HEADER_BYTES
  for (const field of fields) {
    for (let rank = 0; rank < days.length; rank++) COLUMN[rank] = days[rank][field]
    offset = writeColumn(body, offset, COLUMN, days.length)
  }
  return body.subarray(0, offset)
}

const COLUMN = new Float64Array(BLOCK_DEVICES) // the values of the column that is being written

/** Marks a slot as used. */
export function setSlot(body: Buffer, slot: number): void {
  body[8 + (slot >> 3)] |= 1 << (slot & 7)
}

/** Writes the first `count` values as a column from `start` on; returns where it ends. */
export function writeColumn(body: Buffer, start: number, values: ArrayLike<number>, count = values.length): number {
  let min = Infinity
  let max = -Infinity
  for (let rank = 0; rank < count; rank++) {
    const value = values[rank]
    if (value < min) min = value
    if (value > max) max = value
  }
  const width = widthOf(max - min)
  const base = width === 8 || count === 0 ? 0 : min
  body[start] = width
  body.writeDoubleLE(base, start + 1)
  let offset = start + COLUMN_HEADER_BYTES
  if (width === 0) return offset
  for (let rank = 0; rank < count; rank++, offset += width) {
    if (width === 8) body.writeDoubleLE(values[rank], offset)
    else if (width === 1) body[offset] = values[rank] - base
    else if (width === 2) body.writeUInt16LE(values[rank] - base, offset)
    else body.writeUInt32LE(values[rank] - base, offset)
  }
  return offset
}

/** Reads a column of `count` values from `start` on; returns them and where it ends. */
export function readColumn(body: Buffer, start: number, count: number): { values: Float64Array; end: number } {
  const width = body[start]
  const base = body.readDoubleLE(start + 1)
  const first = start + COLUMN_HEADER_BYTES
  const values = Float64Array.from({ length: count }, (_, rank) => valueAt(body, first + rank * width, width, base))
  return { values, end: first + count * width }
}

function widthOf(spread: number): number {
  if (spread <= 0) return 0
  if (spread < 2 ** 8) return 1
  if (spread < 2 ** 16) return 2
  return spread < 2 ** 32 ? 4 : 8
}

/** Tells whether a body is the exact encoding of a block; for version 1, whether it has the right length. */
export function isBodyOf(body: Buffer, block: Block, place: BodyPlace): boolean {
  if (isSealed(body)) return encodeBlock(block, place).equals(body)
  const encoded = encodePlain(block)
  if (body[0] !== 1) return encoded.equals(body)
  // Version 1 lacks the last column, which is the same for all of its days and so would be a header alone.
  return body.length === encoded.length - COLUMN_HEADER_BYTES
}

/** Decodes all rollups of a block. @throws CoolerError `store-damaged` */
export function decodeBlock(body: Buffer, place: BodyPlace): Block {
  try {
    if (isSealed(body)) checkSealed(body, 0, body.length - CHECKSUM_BYTES, place)
    return decodePlain(body)
  } catch (error) {
    throw damagedBlock(error, place)
  }
}

/** Makes the error for a block that cannot be decoded; names its place. */
export const damagedBlock = (error: unknown, [shard, block, day]: BodyPlace): CoolerError =>
  damaged(
    `rollups of shard ${shard}, block ${block}, ${day === undefined ? 'day unknown' : namePeriod(day)}` +
      ` (${error instanceof CoolerError ? 'their checksum does not fit' : (error as Error).message});` +
      ' `cooler verify --fix` computes them again',
    error,
  )

function decodePlain(body: Buffer): Block {
  const block = emptyBlock()
  const days: DeviceDay[] = []
  for (let slot = 0; slot < BLOCK_DEVICES; slot++) if (hasSlot(body, slot)) days.push((block[slot] = emptyDeviceDay()))
  const fields = fieldsOf(body)
  let offset = HEADER_BYTES
  for (const field of fields) {
    const width = body[offset]
    const base = body.readDoubleLE(offset + 1)
    offset += COLUMN_HEADER_BYTES
    for (const day of days) {
      day[field] = valueAt(body, offset, width, base)
      offset += width
    }
  }
  return block
}

/** Returns the fields that the body at `from` has, by its codec version. */
export function fieldsOf(body: Buffer, from = 0): readonly (keyof DeviceDay)[] {
  const fields = FIELDS[codecVersion(body, from)]
  if (fields === undefined) throw new Error(`rollup block of an unknown codec version ${body[from]}`)
  return fields
}

/** Tells whether a body has a rollup in a slot. */
export const hasSlot = (body: Buffer, slot: number, from = 0): boolean =>
  (body[from + 8 + (slot >> 3)] & (1 << (slot & 7))) !== 0

/** Reads a value of a column with that width in bytes: an offset from `base`, or a float if the width is 8. */
export function valueAt(body: Buffer, offset: number, width: number, base: number): number {
  if (width === 0) return base
  return width === 8 ? body.readDoubleLE(offset) : base + body.readUIntLE(offset, width)
}
