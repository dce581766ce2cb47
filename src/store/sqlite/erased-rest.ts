import { groupBy } from '../../base/group-by.ts'
import { encodeText } from '../../base/text-bytes.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import type { DeviceRest, ErasedRest } from '../erase-store.ts'
import { decodeRow, type SegmentRow } from '../segment-rows.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'
import { noteRegistryChange, SqliteCounters } from './counters.ts'
import { eraseTold, withdrawNotices } from './erased-notices.ts'
import { SqlitePlacements } from './placements.ts'
import { SELECT_SEGMENT } from './select-segments.ts'

/** Most devices that one transaction changes. */
const DEVICES_A_STEP = 2000
/** No id of a device begins with this byte. */
const ERASED_ID = 0xff

/** Selects devices of an import that have nothing but their own row. */
const LONE_DEVICES = `
  SELECT number FROM device WHERE import = ? AND number > ? AND erased_at IS NULL AND retired_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM device_state WHERE device = number)
  AND NOT EXISTS (SELECT 1 FROM placement WHERE device = number) ORDER BY number LIMIT ?`

/** Erases what is stored of devices and imports in addition to events in columns. */
export class SqliteErasedRest {
  readonly #database: Sqlite
  readonly #shards: number
  readonly #counters: SqliteCounters
  readonly #placements: SqlitePlacements

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
    this.#counters = new SqliteCounters(database)
    this.#placements = new SqlitePlacements(database, shards)
  }

  countOfDevice(rest: DeviceRest): ErasedRest {
    const { device, fromAt, toAt, placements } = rest
    return {
      rejects: this.#rejectsOf(rest).length,
      placements: placements ? this.#placements.countWithin(device, fromAt, toAt) : 0,
      devices: 0,
    }
  }

  ofDevice(rest: DeviceRest): ErasedRest {
    const { device, fromAt, toAt } = rest
    return writeTransaction(this.#database, () => {
      const erased = this.countOfDevice(rest)
      const ids = JSON.stringify(this.#rejectsOf(rest))
      this.#sql('DELETE FROM reject WHERE id IN (SELECT value FROM json_each(?))').run(ids)
      if (rest.placements) {
        this.#placements.eraseWithin(device, fromAt, toAt)
        this.#withdrawNotices([device])
        noteRegistryChange(this.#database)
        this.#counters.add('erased', erased.placements)
      }
      return erased
    })
  }

  #rejectsOf({ deviceId, fromAt, toAt, isReject }: DeviceRest): number[] {
    const select = this.#sql(
      'SELECT id, raw FROM reject WHERE device_id = ? AND coalesce(at, rejected_at) >= ? AND coalesce(at, rejected_at) < ?',
    )
    const ids: number[] = []
    for (const row of select.iterate(encodeText(deviceId), fromAt, toAt)) {
      const { id, raw } = row as { id: number; raw: string }
      if (isReject(raw)) ids.push(id)
    }
    return ids
  }

  countOfImport(ofImport: number): ErasedRest {
    const rejects = this.#sql('SELECT count(*) AS count FROM reject WHERE import = ?').get(ofImport)
    return {
      rejects: (rejects as { count: number }).count,
      placements: this.#placements.countToldBy(ofImport),
      devices: 0,
    }
  }

  ofImport(ofImport: number, now: number): ErasedRest {
    const rejects = writeTransaction(
      this.#database,
      () => this.#sql('DELETE FROM reject WHERE import = ?').run(ofImport).changes,
    )
    return { rejects, placements: this.#takeBackPlacements(ofImport), devices: this.#eraseDevices(ofImport, now) }
  }

  #takeBackPlacements(ofImport: number): number {
    let total = 0
    for (let after = -1; ; ) {
      const step = writeTransaction(this.#database, () => {
        const taken = this.#placements.takeBack(ofImport, after, DEVICES_A_STEP)
        if (taken === null) return null
        this.#withdrawNotices(taken.devices)
        noteRegistryChange(this.#database)
        this.#counters.add('erased', taken.erased)
        return taken
      })
      if (step === null) return total
      total += step.erased
      after = step.last
    }
  }

  devicesOf(ofImport: number): number[] {
    const rows = this.#sql(
      `SELECT number FROM device WHERE import = ? AND erased_at IS NULL AND retired_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM placement WHERE device = number AND (sources IS NULL OR EXISTS (
         SELECT 1 FROM json_each(sources) WHERE key != ?))) ORDER BY number`,
    ).all(ofImport, `${ofImport}`)
    return (rows as { number: number }[]).map(({ number }) => number)
  }

  /** Erases lone devices unless they have events that no rollup has taken up yet: they have no state until then. */
  #eraseDevices(ofImport: number, now: number): number {
    const waiting = new WaitingDevices(this.#database)
    waiting.readNew()
    let total = 0
    for (let after = -1; ; ) {
      const step = writeTransaction(this.#database, () => {
        waiting.readNew()
        const lone = this.#sql(LONE_DEVICES).all(ofImport, after, DEVICES_A_STEP) as { number: number }[]
        const gone = lone.map(({ number }) => number).filter((device) => !waiting.devices.has(device))
        for (const device of gone) this.#eraseDevice(device, now)
        for (const [shard, devices] of groupBy(gone, (device) => device % this.#shards))
          eraseTold(this.#database, this.#shards, shard, devices)
        if (gone.length > 0) noteRegistryChange(this.#database, gone.length)
        return { erased: gone.length, last: lone[lone.length - 1]?.number }
      })
      if (step.last === undefined) return total
      total += step.erased
      after = step.last
    }
  }

  /** Erases a device. Its row stays, as numbers have no gaps; the rollups stored by its number are already due. */
  #eraseDevice(device: number, now: number): void {
    this.#sql('UPDATE device SET id = ?, erased_at = ?, labels = NULL WHERE number = ?').run(
      erasedId(device),
      now,
      device,
    )
    this.#sql('DELETE FROM revision WHERE device = ?').run(device)
  }

  #withdrawNotices(devices: readonly number[]): void {
    for (const [shard, ofShard] of groupBy(devices, (device) => device % this.#shards))
      withdrawNotices(this.#database, this.#shards, shard, ofShard)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

/** Returns what is stored instead of the id of an erased device. */
export function erasedId(device: number): Buffer {
  const id = Buffer.from(`?${device}`)
  id[0] = ERASED_ID
  return id
}

/** Devices with events that no rollup has taken up yet. */
class WaitingDevices {
  readonly devices = new Set<number>()
  readonly #database: Sqlite
  #lastSegment = 0

  constructor(database: Sqlite) {
    this.#database = database
  }

  /** Reads the segments that landed since the last call; only few if that was a moment ago. */
  readNew(): void {
    const select = prepared(
      this.#database,
      `${SELECT_SEGMENT} WHERE id > ? AND id IN (SELECT segment FROM due_segment) ORDER BY id`,
    )
    for (const row of select.iterate(this.#lastSegment)) {
      const { device, count } = decodeRow(row as SegmentRow) as EventColumns
      for (let place = 0; place < count; place++) this.devices.add(device[place])
      this.#lastSegment = (row as SegmentRow).id
    }
  }
}
