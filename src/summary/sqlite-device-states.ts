import { prepared, type Sqlite } from '../sqlite.ts'
import { decodeText, encodeText } from '../text-bytes.ts'
import type { DeviceState, LastFixes } from './report-store.ts'

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
] as const

type StateRow = Record<Exclude<(typeof STATE_COLUMNS)[number], 'last_fix_address'>, number | null> & {
  last_fix_address: Buffer | null
}

/** So many devices a text: it has room in memory however many there are. */
const DEVICES_OF_TEXT = 65_536
const NO_BYTES = Buffer.alloc(0)

/** The table of what is current of devices. Whoever writes does so in a transaction of its own. */
export class SqliteDeviceStates {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  of(devices: readonly number[]): Map<number, DeviceState> {
    const select = this.#sql(
      `SELECT ${STATE_COLUMNS.join(', ')} FROM json_each(?) AS asked JOIN device_state ON device = asked.value`,
    )
    const rows = select.all(JSON.stringify(devices)) as StateRow[]
    return new Map(rows.map((row) => [row.device as number, asState(row)]))
  }

  /** Rows are made into numbers here, a text of many at a time: an object or array for each row takes four times as long. */
  lastFixes(): LastFixes {
    const { end } = this.#sql('SELECT coalesce(max(device), -1) + 1 AS end FROM device_state').get() as { end: number }
    const texts = this.#sql(
      `SELECT CAST(group_concat(device || ' ' || last_fix_lat || ' ' || last_fix_lon || ' ', '') AS BLOB)
       FROM device_state WHERE device >= ? AND device < ? AND last_fix_at IS NOT NULL`,
    ).pluck()
    const columns = [new Int32Array(end), new Int32Array(end), new Int32Array(end)] as const
    let rows = 0
    for (let from = 0; from < end; from += DEVICES_OF_TEXT) {
      rows = parseRows((texts.get(from, from + DEVICES_OF_TEXT) as Buffer | null) ?? NO_BYTES, columns, rows)
    }
    const [devices, lat, lon] = columns.map((column) => column.subarray(0, rows))
    const addressed = this.#sql(
      'SELECT device, last_fix_address AS address FROM device_state WHERE last_fix_address IS NOT NULL',
    ).all() as { device: number; address: Buffer }[]
    return {
      devices,
      lat,
      lon,
      addresses: new Map(addressed.map(({ device, address }) => [device, decodeText(address)])),
    }
  }

  /** Null removes what is stored. */
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
      upsert.run(
        device,
        firstHeardAt,
        lastHeardAt,
        ...first,
        ...last,
        lastFix === null || lastFix.address === null ? null : encodeText(lastFix.address),
      )
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

/** Rows of integers below 2^31, each with a blank behind it, into columns from row `at` on; gives where they end. */
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
