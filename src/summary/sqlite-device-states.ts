import { prepared, type Sqlite } from '../sqlite.ts'
import { decodeText, encodeText } from '../text-bytes.ts'
import type { DeviceState } from './report-store.ts'

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

/** The table of what is current of devices. Whoever writes does so in a transaction of its own. */
export class SqliteDeviceStates {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  of(devices: readonly number[]): Map<number, DeviceState> {
    const select = this.#sql(`SELECT ${STATE_COLUMNS.join(', ')} FROM device_state WHERE device = ?`)
    const states = new Map<number, DeviceState>()
    for (const device of devices) {
      const row = select.get(device) as StateRow | undefined
      if (row) states.set(device, asState(row))
    }
    return states
  }

  all(): Map<number, DeviceState> {
    const rows = this.#sql(`SELECT ${STATE_COLUMNS.join(', ')} FROM device_state`).all() as StateRow[]
    return new Map(rows.map((row) => [row.device as number, asState(row)]))
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
