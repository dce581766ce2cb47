import { decodeBlock } from '../codec/block-codec.ts'
import { decodeCompacted } from '../codec/compact-codec.ts'
import { decodeMessage } from '../codec/message-codec.ts'
import { decodeSegment } from '../codec/segment-codec.ts'
import { decodeTold, type ToldPlace } from '../codec/told-codec.ts'
import { type Damage, DamageCount } from '../damage.ts'
import { decodeBody } from '../damaged-events.ts'
import { placeOfWeek } from '../week.ts'
import { openSqliteReader, type Sqlite } from './connection.ts'
import { SqliteDeviceStates } from './device-states.ts'
import { asStoreError } from './errors.ts'

const DEVICES_AT_ONCE = 10_000

/**
 * Reads and checks every body and every state of a store: rollups, raw events, states of devices, messages. Takes as long as
 * reading the whole file; until it ends, the write-ahead log cannot be cut.
 *
 * @throws CoolerError as openSqliteReader
 */
export function findDamage(file: string): Damage {
  const database = openSqliteReader(file)
  const count = new DamageCount()
  try {
    database.transaction(() => {
      for (const part of bodiesOf(database)) count.add(part)
      for (const part of notesOf(database)) count.add(part)
      for (const part of statesOf(database)) count.add(part)
    })()
    return count.damage
  } catch (error) {
    throw asStoreError(error)
  } finally {
    database.close()
  }
}

interface EventsRow {
  shard: number
  utcDay: number
  group: number | null
  events: number
  body: Buffer
}

interface BlockRow {
  shard: number
  block: number
  day: number
  body: Buffer
}

function* bodiesOf(database: Sqlite): Generator<() => void> {
  const segments = 'SELECT shard, utc_day AS utcDay, NULL AS "group", count AS events, body FROM segment'
  for (const row of database.prepare(segments).iterate() as IterableIterator<EventsRow>) {
    const { body, shard, ...damage } = row
    yield () => decodeBody({ body, shard, damage }, [shard, damage.utcDay], decodeSegment)
  }
  const compacted = 'SELECT shard, utc_day AS utcDay, device_group AS "group", count AS events, body FROM compacted'
  for (const row of database.prepare(compacted).iterate() as IterableIterator<EventsRow & { group: number }>) {
    const { body, shard, ...damage } = row
    yield () => decodeBody({ body, shard, damage }, [shard, damage.utcDay, damage.group], decodeCompacted)
  }
  const blocks = 'SELECT shard, block, day, body FROM rollup_block'
  for (const { shard, block, day, body } of database.prepare(blocks).iterate() as IterableIterator<BlockRow>) {
    yield () => decodeBlock(body, [shard, block, day])
  }
  const weeks = 'SELECT shard, block, week, body FROM rollup_week'
  for (const row of database.prepare(weeks).iterate() as IterableIterator<Omit<BlockRow, 'day'> & { week: number }>) {
    yield () => decodeBlock(row.body, placeOfWeek(row.shard, row.block, row.week))
  }
}

/** Returns reads of reported exceptions and messages. */
function* notesOf(database: Sqlite): Generator<() => void> {
  const told = 'SELECT shard, day, subscription, body FROM told'
  for (const row of database.prepare(told).iterate() as IterableIterator<ToldPlace & { body: Buffer }>) {
    yield () => decodeTold(row.body, row, 1)
  }
  const messages = 'SELECT id, body FROM message'
  for (const row of database.prepare(messages).iterate() as IterableIterator<{ id: string; body: Buffer }>) {
    yield () => decodeMessage(row.body, row.id)
  }
}

function* statesOf(database: Sqlite): Generator<() => void> {
  const states = new SqliteDeviceStates(database)
  const { end } = database.prepare('SELECT coalesce(max(device), -1) + 1 AS end FROM device_state').get() as {
    end: number
  }
  for (let from = 0; from < end; from += DEVICES_AT_ONCE) {
    const devices = Array.from({ length: Math.min(DEVICES_AT_ONCE, end - from) }, (_, index) => from + index)
    const damaged: number[] = []
    states.of(devices, (device) => damaged.push(device))
    for (const device of damaged) yield () => states.of([device])
  }
}
