import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { DeviceState, LastFixes } from '../rollup-store.ts'
import { checksumOfAddress, checksumOfPosition, checksumsOf, damagedState, NO_FIX } from '../state-checksum.ts'
import { prepared, type Sqlite } from './connection.ts'

const STATE_COLUMNS = [
  'device',
  'first_heard_at',
  'last_heard_at',
  'first_fix_at',
  'first_fix_seq',
  'first_fix_lat',
  'first_fix_lon',
  'last_fix_at',
  'last_fix_seq',
  'last_fix_lat',
  'last_fix_lon',
  'last_fix_address',
  'last_fix_checksum',
  'checksum',
] as const

type StateRow = Record<Exclude<(typeof STATE_COLUMNS)[number], 'last_fix_address'>, number | null> & {
  last_fix_address: Buffer | null
}

/** Devices read as one text, so that a text fits in memory for any number of devices. */
const DEVICES_OF_TEXT = 65_536
const NO_BYTES = Buffer.alloc(0)
/** Stands for a missing checksum. */
const UNCHECKED = -(2 ** 31)

/** Reads and writes the table of device states. The caller opens the transaction to write in. */
export class SqliteDeviceStates {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  of(devices: readonly number[], onDamaged?: (device: number) => void): Map<number, DeviceState> {
    const select = this.#sql(
      `SELECT ${STATE_COLUMNS.join(', ')} FROM json_each(?) AS asked JOIN device_state ON device = asked.value`,
    )
    const states = new Map<number, DeviceState>()
    for (const row of select.all(JSON.stringify(devices)) as StateRow[]) {
      const device = row.device as number
      const state = asState(row)
      if (isIntact(row, device, state)) states.set(device, state)
      else if (onDamaged === undefined) throw damagedState(device)
      else onDamaged(device)
    }
    return states
  }

  /**
   * Reads rows as texts of many rows and parses them here: an object or array for each row takes four times as long.
   *
   * @throws CoolerError `store-damaged`
   */
  lastFixes(): LastFixes {
    const { end } = this.#sql('SELECT coalesce(max(device), -1) + 1 AS end FROM device_state').get() as { end: number }
    const texts = this.#sql(
      `SELECT CAST(group_concat(device || ' ' || ifnull(last_fix_lat, ${NO_FIX}) || ' ' || ifnull(last_fix_lon, ${NO_FIX})
         || ' ' || ifnull(last_fix_checksum, ${UNCHECKED}) || ' ', '') AS BLOB)
       FROM (SELECT * FROM device_state WHERE device >= ? AND device < ? ORDER BY device)`,
    ).pluck()
    const columns = Array.from({ length: 4 }, () => new Int32Array(end))
    let rows = 0
    for (let from = 0; from < end; from += DEVICES_OF_TEXT) {
      rows = parseRows((texts.get(from, from + DEVICES_OF_TEXT) as Buffer | null) ?? NO_BYTES, columns, rows)
    }
    const addressed = this.#sql(
      'SELECT device, last_fix_address AS address FROM device_state WHERE last_fix_address IS NOT NULL ORDER BY device',
    ).all() as { device: number; address: Buffer }[]
    const count = checkFixes(columns, rows, addressed)
    const [devices, lat, lon] = columns.map((column) => column.subarray(0, count))
    const addresses = new Map(addressed.map(({ device, address }) => [device, decodeText(address)]))
    return { devices, lat, lon, addresses }
  }

  /** Writes states; null removes the stored state. */
  write(states: ReadonlyMap<number, DeviceState | null>): void {
    const upsert = this.#sql(
      `INSERT OR REPLACE INTO device_state (${STATE_COLUMNS.join(', ')})
       VALUES (${STATE_COLUMNS.map(() => '?').join(', ')})`,
    )
    for (const [device, state] of states) {
      if (state === null) {
        this.#sql('DELETE FROM device_state WHERE device = ?').run(device)
        continue
      }
      const { firstHeardAt, lastHeardAt, firstFix, lastFix } = state
      const first = [firstFix?.at ?? null, firstFix?.seq ?? null, firstFix?.lat ?? null, firstFix?.lon ?? null]
      const last = [lastFix?.at ?? null, lastFix?.seq ?? null, lastFix?.lat ?? null, lastFix?.lon ?? null]
      const address = lastFix === null || lastFix.address === null ? null : encodeText(lastFix.address)
      const checksums = checksumsOf(device, state, address)
      upsert.run(device, firstHeardAt, lastHeardAt, ...first, ...last, address, checksums.lastFix, checksums.rest)
    }
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

function asState(row: StateRow): DeviceState {
  const fix = (at: number | null, seq: number | null, lat: number | null, lon: number | null) =>
    at === null || seq === null || lat === null || lon === null ? null : { at, seq, lat, lon }
  const last = fix(row.last_fix_at, row.last_fix_seq, row.last_fix_lat, row.last_fix_lon)
  return {
    firstHeardAt: row.first_heard_at as number,
    lastHeardAt: row.last_heard_at as number,
    firstFix: fix(row.first_fix_at, row.first_fix_seq, row.first_fix_lat, row.first_fix_lon),
    lastFix: last && { ...last, address: row.last_fix_address && decodeText(row.last_fix_address) },
  }
}

/** Tells whether a row matches its checksums; a row without checksums counts as intact. */
function isIntact(row: StateRow, device: number, state: DeviceState): boolean {
  if (row.checksum === null && row.last_fix_checksum === null) return true
  const { lastFix, rest } = checksumsOf(device, state, row.last_fix_address)
  return row.last_fix_checksum === lastFix && row.checksum === rest
}

/** Checks the columns of all devices and moves the devices with a fix to the front; returns their number. */
function checkFixes(
  [devices, lat, lon, checksums]: readonly Int32Array[],
  rows: number,
  addressed: readonly { device: number; address: Buffer }[],
): number {
  let count = 0
  let next = 0
  for (let row = 0; row < rows; row++) {
    const device = devices[row]
    const address = addressed[next]?.device === device ? addressed[next++].address : null
    const checksum =
      checksumOfPosition(device, lat[row], lon[row]) ^ (address === null ? 0 : checksumOfAddress(address))
    if (checksums[row] !== UNCHECKED && checksums[row] !== checksum) throw damagedState(device)
    if (lat[row] === NO_FIX) continue
    devices[count] = device
    lat[count] = lat[row]
    lon[count++] = lon[row]
  }
  return count
}

/** Parses rows of 32-bit integers, each followed by a blank, into columns from row `at` on; returns the end row. */
function parseRows(text: Uint8Array, columns: readonly Int32Array[], at: number): number {
  let row = at
  let column = 0
  let value = 0
  let sign = 1
  for (let index = 0; index < text.length; index++) {
    const byte = text[index]
    if (byte === 0x20) {
      columns[column++][row] = sign * value
      value = 0
      sign = 1
      if (column < columns.length) continue
      column = 0
      row++
    } else if (byte === 0x2d) {
      sign = -1
    } else {
      value = (value * 10 + byte - 0x30) | 0
    }
  }
  return row
}
