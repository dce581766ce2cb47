import { type Labels, NO_LABELS } from '../../base/labels.ts'
import { decodeText } from '../../base/text-bytes.ts'
import { type Placement, placementsByDevice } from '../../event/placement.ts'
import type { Device } from '../registry.ts'
import { prepared, type Sqlite } from './connection.ts'

/**
 * Reads many rows of the registry as JSON texts, each parsed by one JSON.parse. That takes a quarter of the time of
 * reading row by row, where every BLOB becomes a Buffer.
 */

/** Rows in one JSON text: a string cannot be longer than half a gigabyte. */
const ROWS = 20_000

/** Returns SQL for a text kept by encodeText, as two JSON values: itself if it is ASCII, else its bytes in hex. */
const twoValues = (column: string): string => {
  // The length of a TEXT ends at a zero byte and counts each non-ASCII character once; that of a BLOB counts bytes.
  const isAscii = `length(CAST(${column} AS TEXT)) = length(${column})`
  return `iif(${isAscii}, CAST(${column} AS TEXT), NULL), iif(${isAscii}, NULL, hex(${column}))`
}

/** Returns the text of the two values of twoValues; null if the column is null. */
function joinValues(ascii: string | null, hex: string | null): string | null {
  return ascii ?? (hex === null || hex === '' ? null : decodeText(Buffer.from(hex, 'hex')))
}

type DeviceRow = [
  number: number,
  ascii: string | null,
  hex: string | null,
  registeredAt: number,
  retiredAt: number | null,
  labels: Labels | null,
]

/** Returns all devices, in ascending order of their ids. */
export function allDevices(database: Sqlite): Device[] {
  const select = prepared(
    database,
    `SELECT json_group_array(json_array(number, ${twoValues('id')}, registered_at, retired_at, json(labels))) AS rows, max(id) AS last
     FROM (SELECT * FROM device WHERE id > ? AND erased_at IS NULL ORDER BY id LIMIT ?)`,
  )
  const devices: Device[] = []
  for (let after: Buffer | null = Buffer.alloc(0); after !== null; ) {
    const { rows, last } = select.get(after, ROWS) as { rows: string; last: Buffer | null }
    for (const [number, ascii, hex, registeredAt, retiredAt, labels] of JSON.parse(rows) as DeviceRow[]) {
      const id = joinValues(ascii, hex) as string
      devices.push({ number, id, registeredAt, retiredAt, labels: labels ?? NO_LABELS })
    }
    after = last
  }
  return devices
}

type PlacementRow = [
  ...[device: number, at: number, seq: number, lat: number, lon: number, zone: string],
  ...[ascii: string | null, hex: string | null],
]

/** Returns the ordered placements in force at some time by device: of all devices, or of those of one shard. */
export function placementsOf(database: Sqlite, { shard, shards }: { shard: number; shards: number }) {
  const select = prepared(
    database,
    `SELECT json_group_array(json_array(device, at, seq, lat, lon, zone, ${twoValues('address')})) AS rows
     FROM (SELECT * FROM placement WHERE device > ? AND device <= ? AND device % ? = ? AND removed_at IS NULL)`,
  )
  const { last } = prepared(database, 'SELECT max(device) AS last FROM placement').get() as { last: number | null }
  const placed: [number, Placement][] = []
  for (let after = -1; after < (last ?? -1); after += ROWS * shards) {
    const { rows } = select.get(after, after + ROWS * shards, shards, shard) as { rows: string }
    for (const [device, at, seq, lat, lon, zone, ascii, hex] of JSON.parse(rows) as PlacementRow[])
      placed.push([device, { at, seq, lat, lon, zone, address: joinValues(ascii, hex) }])
  }
  return placementsByDevice(placed)
}
