import { CoolerError } from '../../base/errors.ts'
import { zoneName } from '../../base/zone.ts'
import { EARLIEST_AT } from '../../event/check-event.ts'
import type { EventBatch, KeptPlacement } from '../../event/event-batch.ts'
import { Kind, NO_SEQ } from '../../event/event-columns.ts'
import { EVENT_FIELDS } from '../../event/fields.ts'
import { areKeptValues } from '../../event/kept-values.ts'
import { arePossibleIds, type PackedIds, packIds } from './packed-ids.ts'

/**
 * Checked events on their way through the queue, as bytes, little-endian:
 *
 *     byte 0 codec version (1)    byte 1 flags    bytes 2-3 number of devices m    bytes 4-7 count n
 *     bytes 8-15 `at` of the earliest, float64    then the columns one after the other:
 *     [seq n x float64], at n x uint32 or float64 (ms since the earliest), a n x int32, b n x int32,
 *     device n x uint16, bytes of each id m x uint16, kind n x uint8, the ids, and to the end, as JSON text,
 *     the parts that few batches have: ids that have no UTF-8, addresses, placements
 *
 * Columns are those of EventBatch. `seq` is present if its flag is set; `at` is float64 if the batch spans more than
 * 49 days. The format is for programs of about the same version. It is not a public interface: others enqueue JSON.
 */
const VERSION = 1
const HEADER_BYTES = 16
const HAS_SEQ = 1
const WIDE_AT = 2
/** Devices are numbered in 16 bits: a batch has at most MAX_BATCH_EVENTS events, 10 000. */
const MOST_IDS = 65_535
/** The last instant that a Date can represent; rejected events are shown with a Date. */
const LATEST_AT = 8_640_000_000_000_000

interface Rare {
  oddIds: readonly (readonly [index: number, id: string])[]
  addresses: readonly (readonly [row: number, address: string])[]
  placements: readonly KeptPlacement[]
}

/** The events of a packed batch, decoded and checked, in columns as in EventBatch. */
export interface PackedBatch {
  ids: PackedIds
  count: number
  device: Uint16Array
  at: Float64Array
  kind: Uint8Array
  a: Int32Array
  b: Int32Array
  seq: Float64Array | null
  addresses: ReadonlyMap<number, string>
  placements: readonly KeptPlacement[]
}

/** Encodes the good events of a batch; leaves out rejected ones. @throws RangeError for more than MOST_IDS devices */
export function encodeBatch(batch: EventBatch): Buffer {
  const { count, placements } = batch
  if (batch.ids.length > MOST_IDS) throw new RangeError(`${batch.ids.length} devices in a batch`)
  const [earliest, latest] = boundsOf(batch.at, count)
  const ids = packIds(batch.ids)
  const rare = rareBytes({ oddIds: [...ids.odd], addresses: [...batch.addresses], placements })
  const flags = (batch.hasSeq ? HAS_SEQ : 0) | (latest - earliest >= 2 ** 32 ? WIDE_AT : 0)
  const shape = { count, devices: ids.lengths.length, flags }
  const layout = layoutOf(shape)
  const bytes = Buffer.alloc(layout.ids + ids.bytes.length + rare.length)
  bytes[0] = VERSION
  bytes[1] = flags
  bytes.writeUInt16LE(shape.devices, 2)
  bytes.writeUInt32LE(count, 4)
  bytes.writeDoubleLE(earliest, 8)
  const views = viewsOf(bytes, shape)
  if (views.seq !== null) views.seq.set(batch.seq.subarray(0, count))
  for (let row = 0; row < count; row++) views.at[row] = batch.at[row] - earliest
  views.a.set(batch.a.subarray(0, count))
  views.b.set(batch.b.subarray(0, count))
  views.device.set(batch.device.subarray(0, count))
  views.lengths.set(ids.lengths)
  views.kind.set(batch.kind.subarray(0, count))
  bytes.set(ids.bytes, layout.ids)
  bytes.set(rare, layout.ids + ids.bytes.length)
  return bytes
}

/**
 * Decodes a packed batch. Checks that every value is one that the checks of an event let through (all that RULES.md 2
 * asks of an event except its age), so the packer need not be trusted.
 *
 * @throws CoolerError `bad-request`
 */
export function decodeBatch(packed: Buffer): PackedBatch {
  if (packed.length < HEADER_BYTES || packed[0] !== VERSION) throw damaged(`codec version ${packed[0] ?? 'none'}`)
  // Columns are views of the bytes, which therefore must be aligned to eight bytes.
  const bytes = packed.byteOffset % 8 === 0 ? packed : Buffer.from(new Uint8Array(packed).buffer)
  const shape = { count: bytes.readUInt32LE(4), devices: bytes.readUInt16LE(2), flags: bytes[1] }
  const earliest = bytes.readDoubleLE(8)
  const layout = layoutOf(shape)
  if (bytes.length < layout.ids) throw damaged(`${shape.count} events in ${bytes.length} bytes`)
  const { at: since, lengths, ...columns } = viewsOf(bytes, shape)
  const at = new Float64Array(shape.count)
  for (let row = 0; row < at.length; row++) at[row] = earliest + since[row]
  const idsEnd = lengths.reduce((end, length) => end + length, layout.ids)
  const { oddIds, addresses, placements } = rareOf(bytes.subarray(idsEnd))
  const ids = { lengths, bytes: bytes.subarray(layout.ids, idsEnd), odd: new Map(oddIds) }
  const batch = { ids, count: shape.count, at, ...columns, placements, addresses: new Map(addresses) }
  requirePossible(batch)
  return batch
}

function boundsOf(at: Float64Array, count: number): [earliest: number, latest: number] {
  if (count === 0) return [0, 0]
  let [earliest, latest] = [Infinity, -Infinity]
  for (let row = 0; row < count; row++) {
    if (at[row] < earliest) earliest = at[row]
    if (at[row] > latest) latest = at[row]
  }
  return [earliest, latest]
}

interface Shape {
  count: number
  devices: number
  flags: number
}

function layoutOf({ count, devices, flags }: Shape) {
  const at = HEADER_BYTES + (flags & HAS_SEQ ? count * 8 : 0)
  const a = at + count * (flags & WIDE_AT ? 8 : 4)
  const b = a + count * 4
  const device = b + count * 4
  const lengths = device + count * 2
  const kind = lengths + devices * 2
  return { at, a, b, device, lengths, kind, ids: kind + count }
}

function viewsOf({ buffer, byteOffset }: Uint8Array, shape: Shape) {
  const { count, devices, flags } = shape
  const layout = layoutOf(shape)
  return {
    seq: flags & HAS_SEQ ? new Float64Array(buffer, byteOffset + HEADER_BYTES, count) : null,
    at:
      flags & WIDE_AT
        ? new Float64Array(buffer, byteOffset + layout.at, count)
        : new Uint32Array(buffer, byteOffset + layout.at, count),
    a: new Int32Array(buffer, byteOffset + layout.a, count),
    b: new Int32Array(buffer, byteOffset + layout.b, count),
    device: new Uint16Array(buffer, byteOffset + layout.device, count),
    lengths: new Uint16Array(buffer, byteOffset + layout.lengths, devices),
    kind: new Uint8Array(buffer, byteOffset + layout.kind, count),
  }
}

const damaged = (what: string): CoolerError => new CoolerError('bad-request', `not a packed batch: ${what}`)

const NOTHING_RARE: Rare = { oddIds: [], addresses: [], placements: [] }

function rareBytes(rare: Rare): Buffer {
  const isEmpty = Object.values(rare).every((list) => list.length === 0)
  return Buffer.from(isEmpty ? '' : JSON.stringify(rare))
}

/** Reads the JSON at the end and checks its shape. Checks that depend on the columns are left to requirePossible. */
function rareOf(bytes: Buffer): Rare {
  if (bytes.length === 0) return NOTHING_RARE
  let rare: Partial<Record<keyof Rare, unknown>>
  try {
    rare = JSON.parse(bytes.toString('utf8')) ?? {}
  } catch (error) {
    throw new CoolerError('bad-request', 'not a packed batch: its end is no JSON', { cause: error })
  }
  const { oddIds, addresses, placements } = rare
  const isRare =
    isListOf(oddIds, isTextAt) && isListOf(addresses, isTextAt) && isListOf(placements, isPossiblePlacement)
  if (!isRare) throw damaged('its end has other values than it may')
  return { oddIds, addresses, placements }
}

function isListOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem)
}

const isTextOf = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most

const isTextAt = (value: unknown): value is [number, string] =>
  Array.isArray(value) && Number.isInteger(value[0]) && isTextOf(value[1], MOST_ADDRESS_UNITS)

function isPossiblePlacement(value: unknown): value is KeptPlacement {
  const { device, at, seq, lat, lon, zone, address } = (value ?? {}) as Partial<Record<keyof KeptPlacement, unknown>>
  return (
    isWithin(device, 0, MOST_IDS) &&
    isInstant(at) &&
    isSeq(seq) &&
    isKept(lat, LATITUDE) &&
    isKept(lon, LONGITUDE) &&
    (zone === '' || zoneName(zone) !== null) &&
    (address === null || isTextOf(address, MOST_ADDRESS_UNITS))
  )
}

const isWithin = (value: unknown, min: number, max: number): value is number =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

const isInstant = (at: unknown): boolean => isWithin(at, EARLIEST_AT, LATEST_AT)
const isSeq = (seq: unknown): boolean => seq === NO_SEQ || isWithin(seq, 0, Number.MAX_SAFE_INTEGER)

const { lat: LATITUDE, lon: LONGITUDE } = EVENT_FIELDS.placement.fields
const MOST_ADDRESS_UNITS = EVENT_FIELDS.placement.optional.address.maxUnits

const isKept = (value: unknown, { min, max, scale }: { min: number; max: number; scale: number }): boolean =>
  isWithin(value, min * scale, max * scale)

function requirePossible({ count, ids, device, at, kind, a, b, seq, addresses, placements }: PackedBatch): void {
  if (!arePossibleIds(ids)) throw damaged('a device id is none')
  const devices = ids.lengths.length
  for (let row = 0; row < count; row++) {
    const isPossible = device[row] < devices && isInstant(at[row]) && areKeptValues(kind[row], a[row], b[row])
    if (!isPossible || (seq !== null && !isSeq(seq[row]))) throw damaged(`row ${row} is no event`)
  }
  for (const row of addresses.keys()) if (kind[row] !== Kind.fix) throw damaged(`row ${row} has an address`)
  for (const placement of placements) {
    if (placement.device >= devices) throw damaged('a placement is of no device')
  }
}
