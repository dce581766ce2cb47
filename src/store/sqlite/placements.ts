import { decodeText, encodeText } from '../../base/text-bytes.ts'
import { type Placement, placementsByDevice } from '../../event/placement.ts'
import { END_OF_TIME } from '../due.ts'
import type { TakenBack } from '../erase-store.ts'
import { mergePlacement, withoutImport } from '../placement-sources.ts'
import { prepared, type Sqlite } from './connection.ts'

type PlacementRow = Omit<Placement, 'address'> & { device: number; address: Buffer | null }
type SourcedRow = PlacementRow & { sources: string | null; removedAt: number | null }

const COLUMNS = 'device, at, seq, lat, lon, zone, address'
const KEY = 'device = ? AND at = ? AND seq = ? AND lat = ? AND lon = ? AND zone = ?'

/** Reads and writes the table of placements. The caller opens the transaction to write in. */
export class SqlitePlacements {
  readonly #database: Sqlite
  readonly #shards: number

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
  }

  /** Returns the ordered placements in force at some time; devices without any are left out. */
  of(devices: readonly number[]): Map<number, Placement[]> {
    const select = this.#sql(`SELECT ${COLUMNS} FROM placement WHERE device = ? AND removed_at IS NULL`)
    const rows = devices.flatMap((device) => select.all(device) as PlacementRow[])
    return placementsByDevice(rows.map(({ device, ...rest }) => [device, { ...rest, address: decodeAddress(rest) }]))
  }

  /**
   * Adds a placement that an event reported, and notes the import of the event (0 for none). If repeats of an event
   * have different addresses, the greatest is kept, regardless of their order.
   */
  add(device: number, placement: Placement, ofImport: number): { isNew: boolean; isReaddressed: boolean } {
    const key = keyOf({ ...placement, device })
    const select = this.#sql(`SELECT address, sources FROM placement WHERE ${KEY}`)
    const row = select.get(...key) as { address: Buffer | null; sources: string | null } | undefined
    const before = row && { address: decodeAddress(row), sources: row.sources }
    const merged = mergePlacement(before, { address: placement.address, ofImport })
    if (before === undefined) {
      const insert = this.#sql(`INSERT INTO placement (${COLUMNS}, sources) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
      insert.run(...key, bytesOf(merged), merged.sources)
    } else if (merged.sources !== before.sources || merged.isReaddressed) {
      this.#update(key, merged)
    }
    return { isNew: before === undefined, isReaddressed: merged.isReaddressed }
  }

  #update(key: readonly unknown[], merged: { address: string | null; sources: string | null }): void {
    const update = this.#sql(`UPDATE placement SET address = ?, sources = ? WHERE ${KEY}`)
    update.run(bytesOf(merged), merged.sources, ...key)
  }

  /** Makes the days of a device due from the start of a changed placement on. */
  due(device: number, at: number, cause: 'placement' | 'erased' = 'placement'): void {
    const earlier = this.#sql('SELECT 1 FROM placement WHERE device = ? AND at < ? AND removed_at IS NULL LIMIT 1').get(
      device,
      at,
    )
    // The first placement also applies to the time before it. A later one may end the previous day at the instant it
    // starts, if a day of its zone begins there.
    const from = earlier === undefined ? 0 : at - 1
    const insert = this.#sql('INSERT INTO due_device (shard, device, from_at, to_at, cause) VALUES (?, ?, ?, ?, ?)')
    insert.run(device % this.#shards, device, from, END_OF_TIME, cause)
  }

  /** Replaces all placements of a device; a removed one stays removed, even if its event is delivered again. */
  replace(device: number, placements: readonly Placement[], now: number): void {
    const key = (placement: Omit<Placement, 'address'>) => keyOf({ ...placement, device }).join(' ')
    const select = this.#sql(`SELECT ${COLUMNS} FROM placement WHERE device = ? AND removed_at IS NULL`)
    const old = new Map((select.all(device) as PlacementRow[]).map((row) => [key(row), row]))
    const remove = this.#sql(`UPDATE placement SET removed_at = ? WHERE ${KEY}`)
    const insert = this.#sql(
      `INSERT INTO placement (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET address = excluded.address, removed_at = NULL, sources = NULL`,
    )
    const changed: number[] = []
    for (const placement of placements) {
      insert.run(...keyOf({ ...placement, device }), bytesOf(placement))
      if (!old.delete(key(placement))) changed.push(placement.at)
    }
    for (const row of old.values()) {
      remove.run(now, ...keyOf(row))
      changed.push(row.at)
    }
    if (changed.length > 0) this.due(device, Math.min(...changed))
  }

  /** Counts the placements of a device that begin within a span (epoch ms, half-open), without removed ones. */
  countWithin(device: number, from: number, to: number): number {
    const select = this.#sql(
      'SELECT count(*) FROM placement WHERE device = ? AND at >= ? AND at < ? AND removed_at IS NULL',
    )
    return select.pluck().get(device, from, to) as number
  }

  /** Deletes the placements of a device that begin within a span, including removed ones. */
  eraseWithin(device: number, from: number, to: number): void {
    const first = this.#sql(
      'SELECT min(at) FROM placement WHERE device = ? AND at >= ? AND at < ? AND removed_at IS NULL',
    )
    const at = first.pluck().get(device, from, to) as number | null
    this.#sql('DELETE FROM placement WHERE device = ? AND at >= ? AND at < ?').run(device, from, to)
    if (at !== null) this.due(device, at, 'erased')
  }

  /** Returns placements that an import reported, ordered by device: of the first `devices` devices after `after`. */
  #toldBy(ofImport: number, after: number, devices: number): SourcedRow[] {
    return this.#sql(
      `SELECT ${COLUMNS}, sources, removed_at AS removedAt FROM placement WHERE device IN (
         SELECT DISTINCT device FROM placement WHERE device > ? AND sources IS NOT NULL
         AND EXISTS (SELECT 1 FROM json_each(sources) WHERE key = ?) ORDER BY device LIMIT ?
       ) AND sources IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(sources) WHERE key = ?) ORDER BY device, at`,
    ).all(after, `${ofImport}`, devices, `${ofImport}`) as SourcedRow[]
  }

  /**
   * Takes an import back from placements of the first `devices` devices after `after`; deletes those that only it
   * reported. Returns the number deleted that were in force, and the last device; null if there are no more.
   */
  takeBack(ofImport: number, after: number, devices: number): TakenBack | null {
    const rows = this.#toldBy(ofImport, after, devices)
    if (rows.length === 0) return null
    let erased = 0
    const changed = new Map<number, number>()
    for (const row of rows) {
      const key = keyOf(row)
      const kept = withoutImport({ address: decodeAddress(row), sources: row.sources }, ofImport)
      if (kept !== null) {
        this.#update(key, kept)
        continue
      }
      this.#sql(`DELETE FROM placement WHERE ${KEY}`).run(...key)
      if (row.removedAt !== null) continue
      erased++
      changed.set(row.device, Math.min(row.at, changed.get(row.device) ?? Infinity))
    }
    for (const [device, at] of changed) this.due(device, at, 'erased')
    return { erased, devices: [...new Set(rows.map(({ device }) => device))], last: rows[rows.length - 1].device }
  }

  /** Counts the placements in force that only this import reported. */
  countToldBy(ofImport: number): number {
    const rows = this.#toldBy(ofImport, -1, Number.MAX_SAFE_INTEGER)
    return rows.filter(
      (row) => row.removedAt === null && withoutImport({ address: null, sources: row.sources }, ofImport) === null,
    ).length
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

const keyOf = ({ device, at, seq, lat, lon, zone }: Omit<Placement, 'address'> & { device: number }) => [
  device,
  at,
  seq,
  lat,
  lon,
  zone,
]
const decodeAddress = ({ address }: { address: Buffer | null }): string | null => address && decodeText(address)
const bytesOf = ({ address }: { address: string | null }): Buffer | null =>
  address === null ? null : encodeText(address)
