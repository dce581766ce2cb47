import { expect, onTestFinished, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { Kind, NO_SEQ } from '../../../src/event/event-columns.ts'
import { SqliteArchive } from '../../../src/store/sqlite/archive.ts'
import { openSqlite, openSqliteReader, type Sqlite } from '../../../src/store/sqlite/connection.ts'
import { SqliteLanding } from '../../../src/store/sqlite/landing.ts'
import { SqliteRegistry } from '../../../src/store/sqlite/registry.ts'
import { SqliteRejects } from '../../../src/store/sqlite/rejects.ts'
import { temporaryFolder, temporaryStore } from '../../helpers/temporary-store.ts'

const SHARDS = 16
const DAY_MS = 86_400_000
const LANDED_AT = Date.parse('2024-05-11T00:00:00Z')
const UTC_DAY = 19_853
const MIDNIGHT = UTC_DAY * DAY_MS

/** A group of visitor counts: of device `id`, `count` at `at`. */
function visitors(...events: readonly [id: string, at: number, count: number][]): EventBatch {
  const batch = new EventBatch()
  for (const [id, at, count] of events) batch.add(id, at, NO_SEQ, Kind.visitorCount, count, 0)
  return batch
}

const placed = (batch: EventBatch, id: string, lat = 0): void =>
  void batch.placements.push({
    device: batch.deviceIndex(id),
    at: MIDNIGHT,
    seq: NO_SEQ,
    lat,
    lon: 0,
    zone: '',
    address: null,
  })

function closing(database: Sqlite): Sqlite {
  onTestFinished(() => void database.close())
  return database
}

/** Every row of every table. */
function contents(file: string): Record<string, unknown[]> {
  const reader = openSqliteReader(file)
  const names = reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
  const tables = names.map((name) => [name, reader.prepare(`SELECT * FROM ${name}`).all()])
  reader.close()
  return Object.fromEntries(tables)
}

/** Something for every table that a landing writes: a known device that is placed, a new one, events, a reject. */
function everything(): EventBatch {
  const batch = visitors(['new', MIDNIGHT, 1], ['known', MIDNIGHT + DAY_MS, 2])
  placed(batch, 'known')
  batch.reject('bad-at', '{}')
  return batch
}

test.each(['device', 'placement', 'due_device', 'segment', 'due_segment', 'reject', 'counter'])(
  'a landing that fails at table %s leaves nothing, and lands later as if it never had',
  async (table) => {
    const [failing, sound] = [temporaryStore(), temporaryStore()]
    for (const { landing } of [failing, sound]) await landing.land(visitors(['known', MIDNIGHT, 1]), LANDED_AT)
    const before = contents(failing.file)

    const saboteur = closing(openSqlite(failing.file))
    for (const change of ['INSERT', 'UPDATE'])
      saboteur.exec(
        `CREATE TRIGGER refuse_${change} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      )
    await expect(failing.landing.land(everything(), LANDED_AT)).rejects.toThrow('refused')
    expect(contents(failing.file)).toEqual(before)

    saboteur.exec('DROP TRIGGER refuse_INSERT; DROP TRIGGER refuse_UPDATE')
    for (const { landing } of [failing, sound]) {
      await landing.land(visitors(['other', MIDNIGHT, 3]), LANDED_AT)
      await landing.land(everything(), LANDED_AT)
    }
    expect(contents(failing.file)).toEqual(contents(sound.file))
    expect((await failing.registry.devices()).map(({ id, number }) => [number, id])).toEqual([
      [0, 'known'],
      [2, 'new'],
      [1, 'other'],
    ])
  },
)

test('while another writer keeps its lock a landing is refused as store-busy, and lands after it', async () => {
  const file = `${temporaryFolder()}/store.sqlite`
  const database = closing(openSqlite(file))
  database.pragma('busy_timeout = 50')
  const registry = new SqliteRegistry(database, SHARDS)
  const parts = { registry, archive: new SqliteArchive(database, SHARDS), rejects: new SqliteRejects(database, 1000) }
  const landing = new SqliteLanding(database, parts)
  const other = closing(openSqlite(file))
  await landing.land(visitors(['first', MIDNIGHT, 1]), LANDED_AT)
  const before = contents(file)

  other.exec('BEGIN IMMEDIATE')
  await expect(landing.land(everything(), LANDED_AT)).rejects.toMatchObject({ code: 'store-busy', retryable: true })
  await expect(registry.put('third', {}, LANDED_AT)).rejects.toMatchObject({ code: 'store-busy', retryable: true })
  other.exec('ROLLBACK')
  expect(contents(file)).toEqual(before)

  await landing.land(visitors(['second', MIDNIGHT, 2]), LANDED_AT)
  await landing.land(everything(), LANDED_AT)
  const numbers = new Map((await registry.devices()).map(({ id, number }) => [id, number]))
  expect(numbers).toEqual(new Map(Object.entries({ first: 0, known: 3, new: 2, second: 1 })))
})

test('a landing makes one segment, and one that is due, for each UTC day and shard', async () => {
  const { landing, due, archive, file } = temporaryStore()
  const ids = Array.from({ length: SHARDS + 1 }, (_, number) => `device ${number}`)
  const events = ids.flatMap((id, number): [string, number, number][] => [
    [id, MIDNIGHT - 1, number],
    [id, MIDNIGHT + number, number],
    [id, MIDNIGHT, number],
  ])
  await landing.land(visitors(...events), LANDED_AT)

  expect(await due.shards()).toEqual(Array.from({ length: SHARDS }, (_, shard) => shard))
  for (let shard = 0; shard < SHARDS; shard++) {
    const segments = await due.segments(shard)
    expect(segments.map(({ utcDay }) => utcDay)).toEqual([UTC_DAY - 1, UTC_DAY])
    const numbers = ids.map((_, number) => number).filter((number) => number % SHARDS === shard)
    const [early, late] = await archive.segments(segments.map(({ id }) => id))
    expect([...early.device]).toEqual(numbers)
    expect([...early.at]).toEqual(numbers.map(() => DAY_MS - 1))
    expect([...late.device]).toEqual(numbers.flatMap((number) => [number, number]))
    expect([...late.at]).toEqual(numbers.flatMap((number) => [number, 0]))
    expect(await archive.eventsOfDay(shard, UTC_DAY)).toEqual([late])
    expect(await archive.nextDay(shard, 0)).toBe(UTC_DAY - 1)
    expect(await archive.nextDay(shard, UTC_DAY)).toBe(UTC_DAY)
    expect(await archive.nextDay(shard, UTC_DAY + 1)).toBe(null)
  }
  expect(contents(file).segment).toContainEqual(
    expect.objectContaining({ shard: 0, utc_day: UTC_DAY, count: 4, first_at: MIDNIGHT, last_at: MIDNIGHT + SHARDS }),
  )
})

test('segments of a day are given in the order of their last events', async () => {
  const { landing, archive } = temporaryStore()
  for (const count of [3, 1, 2]) await landing.land(visitors(['a', MIDNIGHT + 10 - count, count]), LANDED_AT)
  expect((await archive.eventsOfDay(0, UTC_DAY)).map(({ a }) => a[0])).toEqual([3, 2, 1])
})

const rejecting = (...names: readonly string[]): EventBatch => {
  const batch = new EventBatch()
  for (const name of names) batch.reject(name < 'm' ? 'bad-at' : 'unknown-type', name)
  return batch
}

test('of the rejected events the newest are kept, and the others are counted', async () => {
  const { landing, rejects } = temporaryStore(3)
  await landing.land(rejecting('a', 'b'), LANDED_AT)
  expect((await rejects.page({ limit: 10 })).map((reject) => reject.raw)).toEqual(['b', 'a'])
  await landing.land(rejecting('x', 'c'), LANDED_AT + 1)
  expect((await rejects.page({ limit: 10 })).map((reject) => reject.raw)).toEqual(['c', 'x', 'b'])
  await landing.land(rejecting('d', 'e', 'y', 'f', 'g'), LANDED_AT + 2)
  const kept = await rejects.page({ limit: 10 })
  expect(kept.map((reject) => reject.raw)).toEqual(['g', 'f', 'y'])
  expect(kept[2]).toMatchObject({ reason: 'unknown-type', rejectedAt: LANDED_AT + 2, rawBytes: 1 })
  expect((await rejects.page({ limit: 1, before: kept[0].id })).map((reject) => reject.raw)).toEqual(['f'])
  const rejectedByReason = { 'bad-at': 7, 'unknown-type': 2 }
  expect(await landing.counters()).toEqual({ landed: 0, erased: 0, rejected: 9, rejectsDropped: 6, rejectedByReason })
})

test('where no rejected event is to be kept, all of them are counted', async () => {
  const { landing, rejects } = temporaryStore(0)
  await landing.land(rejecting('a', 'b'), LANDED_AT)
  await landing.land(rejecting('c'), LANDED_AT)
  expect(await rejects.page({ limit: 10 })).toEqual([])
  expect(await landing.counters()).toMatchObject({ rejected: 3, rejectsDropped: 3 })
})

test('events and placements count as landed, each as often as it lands', async () => {
  const { landing } = temporaryStore()
  expect(await landing.counters()).toEqual({
    landed: 0,
    erased: 0,
    rejected: 0,
    rejectsDropped: 0,
    rejectedByReason: {},
  })
  const batch = visitors(['a', MIDNIGHT, 1], ['b', MIDNIGHT, 1])
  placed(batch, 'a')
  await landing.land(batch, LANDED_AT)
  await landing.land(batch, LANDED_AT)
  expect((await landing.counters()).landed).toBe(6)
})
