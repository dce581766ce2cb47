import { encodeText } from '../../base/text-bytes.ts'
import { encodeBlock } from '../codec/block-codec.ts'
import type { DeviceRows, MovedDevice, MovedReject, MoveTarget, StoreRest } from '../moving.ts'
import { nextCloseAt } from '../rollup-store.ts'
import { PURGED_BEFORE } from './compacted.ts'
import { noteRegistryChange, putCounters } from './counters.ts'
import { prepared, type Sqlite } from './database.ts'
import { SqliteDeviceStates } from './device-states.ts'
import { erasedId } from './erased-rest.ts'
import { putNoticeRest } from './moved-notices.ts'
import { putRules } from './rules.ts'

const bytesOf = (text: string | null): Buffer | null => (text === null ? null : encodeText(text))
const idOf = (id: string | null, number: number): Buffer => (id === null ? erasedId(number) : encodeText(id))

/** Registers devices of another store; returns their numbers. Call it within a transaction, as all others here. */
export function addRows(database: Sqlite, devices: readonly MovedDevice[]): number[] {
  let next = prepared(database, 'SELECT coalesce(max(number) + 1, 0) FROM device').pluck().get() as number
  const insert = prepared(database, 'INSERT INTO device (number, id, registered_at) VALUES (?, ?, ?)')
  const free = prepared(database, 'UPDATE device SET id = ?, erased_at = 0 WHERE number = ?')
  const holder = prepared(database, 'SELECT number FROM device WHERE id = ?')
  const note = prepared(database, 'INSERT INTO moved_device (source, target) VALUES (?, ?)')
  return devices.map(({ number, id, registeredAt }) => {
    // The id of a device that has been erased in the source since it was copied, and is a new device's now.
    const before = id === null ? undefined : (holder.get(encodeText(id)) as { number: number } | undefined)?.number
    if (before !== undefined) free.run(erasedId(before), before)
    insert.run(next, idOf(id, next), registeredAt)
    note.run(number, next)
    return next++
  })
}

/** Replaces the rows of devices and of all that is stored of them. */
export function putDeviceRows(database: Sqlite, { devices, placements, revisions, states }: DeviceRows): void {
  const sql = (text: string) => prepared(database, text)
  const update = sql(
    'UPDATE device SET id = ?, registered_at = ?, retired_at = ?, import = ?, erased_at = ?, labels = ? WHERE number = ?',
  )
  // An id that was erased may be that of a newer device: it is given up before it is taken.
  const inOrder = [...devices].sort((one, other) => Number(one.id !== null) - Number(other.id !== null))
  for (const { number, id, registeredAt, retiredAt, ofImport, erasedAt, labels } of inOrder) {
    update.run(idOf(id, number), registeredAt, retiredAt, ofImport, erasedAt, labels, number)
    for (const table of ['placement', 'revision', 'device_state'])
      sql(`DELETE FROM ${table} WHERE device = ?`).run(number)
  }
  const placement = sql(
    `INSERT INTO placement (device, at, seq, lat, lon, zone, address, removed_at, sources)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const { device, at, seq, lat, lon, zone, address, removedAt, sources } of placements)
    placement.run(device, at, seq, lat, lon, zone, bytesOf(address), removedAt, sources)
  const revision = sql('INSERT INTO revision (device, day, number, revised_at, causes, old) VALUES (?, ?, ?, ?, ?, ?)')
  for (const { device, day, number, revisedAt, causes, old } of revisions)
    revision.run(device, day, number, revisedAt, causes, old)
  new SqliteDeviceStates(database).write(states)
}

/** Replaces the rollups of shards on a local day. The sums of its week are made again by the upkeep. */
export function putRollupRows(
  database: Sqlite,
  { day, shards }: Parameters<MoveTarget['putRollups']>[1],
  blocks: Parameters<MoveTarget['putRollups']>[2],
): void {
  const gone = prepared(database, 'DELETE FROM rollup_block WHERE shard = ? AND day = ?')
  const insert = prepared(
    database,
    'INSERT INTO rollup_block (shard, block, day, next_close_at, body) VALUES (?, ?, ?, ?, ?)',
  )
  for (const shard of shards) gone.run(shard, day)
  for (const { shard, block, rollups } of blocks)
    insert.run(shard, block, day, nextCloseAt(rollups), encodeBlock(rollups, [shard, block, day]))
}

/** Adds rejected events with their ids. */
export function putRejects(database: Sqlite, rejects: readonly MovedReject[]): void {
  const insert = prepared(
    database,
    `INSERT INTO reject (id, rejected_at, reason, raw_bytes, raw, device_id, at, import) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (const { id, rejectedAt, reason, rawBytes, raw, deviceId, at, ofImport } of rejects)
    insert.run(id, rejectedAt, reason, rawBytes, raw, bytesOf(deviceId), at, ofImport)
}

/** Replaces everything that is small. */
export function putRestRows(database: Sqlite, shards: number, rest: StoreRest): void {
  const sql = (text: string) => prepared(database, text)
  for (const table of ['import', 'due_device', 'shard']) database.exec(`DELETE FROM ${table}`)
  const known = sql('INSERT INTO import (number, id, started_at, files) VALUES (?, ?, ?, ?)')
  for (const { number, id, startedAt, files } of rest.imports) known.run(number, id, startedAt, files)
  forgetParts(database)
  const part = sql('INSERT OR IGNORE INTO import_part (import, shard, utc_day) VALUES (?, ?, ?)')
  for (const { import: number, shard, utcDay } of rest.purgedParts) part.run(number, shard, utcDay)
  const due = sql('INSERT INTO due_device (shard, device, from_at, to_at, cause) VALUES (?, ?, ?, ?, ?)')
  for (const { device, fromAt, toAt, causes } of rest.due)
    due.run(device % shards, device, fromAt, toAt, causes.join(' '))
  const shard = sql('INSERT INTO shard (shard, version, rolled_up_at) VALUES (?, 1, ?)')
  for (const [number, at] of rest.rolledUpAt.entries()) if (at !== null) shard.run(number, at)
  putCounters(database, rest.counters)
  noteRegistryChange(database)
  putRules(database, rest)
  putNoticeRest(database, shards, rest)
  const setting = sql('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)')
  sql("DELETE FROM sqlite_sequence WHERE name = 'reject'").run()
  sql("INSERT INTO sqlite_sequence (name, seq) VALUES ('reject', ?)").run(rest.lastRejectId)
  if (rest.purgedBefore !== 0) setting.run(PURGED_BEFORE, rest.purgedBefore)
}

/** Deletes parts of imports of which nothing can be left: what was copied of them has been erased or compacted since. */
function forgetParts(database: Sqlite): void {
  const ofDay = (table: string): string =>
    `SELECT 1 FROM ${table} AS held WHERE held.shard = import_part.shard AND held.utc_day = import_part.utc_day`
  database.exec(
    `DELETE FROM import_part WHERE NOT EXISTS (${ofDay('compacted')})
     AND NOT EXISTS (${ofDay('segment')} AND held.import = import_part.import)`,
  )
}
