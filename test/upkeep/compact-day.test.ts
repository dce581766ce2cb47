import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ABSENT, Kind, totalHigh, totalLow } from '../../src/event/event-columns.ts'
import { groupOf } from '../../src/store/codec/device-group.ts'
import type { Store } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import {
  COMPACTED_ROWS,
  type CompactedRow,
  compactAll,
  landRaw,
  linesOfDay,
  type Raw,
  readEverything,
  rollUpAllShards,
} from '../helpers/raw-events.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'

const DAY_MS = 86_400_000
const UTC_DAY = 19_853
const MIDNIGHT = UTC_DAY * DAY_MS
const SHARDS = 16

const visitor = (id: string, at: number, count = 1): Raw => ({
  id,
  at: MIDNIGHT + at,
  kind: Kind.visitorCount,
  a: count,
})

/** Every kind, with and without what may be absent; twice, and in no order. */
const everyKind = (id: string): Raw[] => {
  const at = MIDNIGHT
  const one: Raw[] = [
    { id, at: at + DAY_MS - 1, kind: Kind.doorState, a: 1, seq: Number.MAX_SAFE_INTEGER },
    { id, at, kind: Kind.doorState, a: 0 },
    { id, at: at + 5, kind: Kind.doorCount, a: 100_000, seq: 0 },
    { id, at: at + 5, kind: Kind.temperature, a: -60_000, b: ABSENT },
    { id, at: at + 5, kind: Kind.temperature, a: ABSENT, b: 80_000, seq: 7 },
    { id, at: at + 4, kind: Kind.power, a: 1 },
    { id, at: at + 4, kind: Kind.power, a: 0 },
    { id, at: at + 3, kind: Kind.fix, a: -900_000_000, b: 1_800_000_000, address: '\u{1F9CA} "\\\0' },
    { id, at: at + 3, kind: Kind.fix, a: -900_000_000, b: 1_800_000_000, address: '' },
    { id, at: at + 3, kind: Kind.fix, a: -900_000_000, b: 1_800_000_000 },
    { id, at: at + 2, kind: Kind.visitorCount, a: 1_000_000 },
    { id, at: at + 1, kind: Kind.visitorTotal, a: totalLow(2 ** 53 - 1), b: totalHigh(2 ** 53 - 1), seq: 2 ** 40 },
    { id, at: at + 1, kind: Kind.visitorTotal, a: totalLow(2 ** 32 - 1), b: totalHigh(2 ** 32 - 1) },
  ]
  return [...one, ...one.toReversed()]
}

/** A file's compacted rows, by a connection of its own. */
function compactedRows(file: string): CompactedRow[] {
  const database = new Database(file, { readonly: true })
  const rows = database.prepare(COMPACTED_ROWS).all() as CompactedRow[]
  database.close()
  return rows
}

/** Registers so many devices, numbered in the order of these names. */
const register = async (store: Store, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, (_, number) => `device ${number}`)
  await landRaw(
    store,
    ids.map((id) => ({ ...visitor(id, 0), at: MIDNIGHT - 10 * DAY_MS })),
  )
  return ids
}

describe('compaction changes nothing of what is read', () => {
  const histories: Record<string, Raw[][]> = {
    'of all kinds, seqs and addresses, with repeats': [everyKind('a'), everyKind('b'), everyKind('a')],
    'of one event': [[visitor('a', 0)]],
    'of 10 000 events of one device, backwards': [
      Array.from({ length: 10_000 }, (_, index) => visitor('a', (10_000 - index) * 8000, index % 7)),
    ],
    'of 10 000 repeats of one event': [Array.from({ length: 10_000 }, () => visitor('a', 77))],
    'of several days with empty ones between': [
      [visitor('a', 0), visitor('a', 2 * DAY_MS), visitor('b', 300 * DAY_MS)],
      [visitor('b', 0), visitor('a', 300 * DAY_MS - 1)],
    ],
    'of devices in many groups, landed one after the other': Array.from({ length: 700 }, (_, number) => [
      visitor(`${number % 600}`, number * 1000, number),
    ]),
  }

  test.each(Object.entries(histories))('%s', async (_, landings) => {
    const store = temporaryStore()
    await landRaw(store, ...landings)
    const before = await readEverything(store)
    expect(before.byDevice).toEqual(before.byDay)
    await rollUpAllShards(store)
    const count = landings.reduce((sum, { length }) => sum + length, 0)
    expect(await compactAll(store)).toBe(count)
    expect(await readEverything(store)).toEqual(before)
    expect(before.byDay).toHaveLength(count)
    expect(await store.archive.daysToCompact(100_000)).toEqual([])
    expect(await compactAll(store)).toBe(0)
  })

  test('of devices whose numbers are far apart, together or each by itself', async () => {
    const store = temporaryStore()
    const ids = await register(store, 40 * SHARDS)
    const wanted = [0, 15 * SHARDS, 16 * SHARDS, 39 * SHARDS]
    await landRaw(
      store,
      wanted.map((number) => visitor(ids[number], number)),
    )
    const before = await readEverything(store)
    await rollUpAllShards(store)
    await compactAll(store)
    expect(await readEverything(store)).toEqual(before)
    const lines = await linesOfDay(store, 0, UTC_DAY)
    expect(lines).toHaveLength(4)
    expect(await linesOfDay(store, 0, UTC_DAY, wanted)).toEqual(lines)
    expect(await linesOfDay(store, 0, UTC_DAY, [16 * SHARDS])).toEqual(
      lines.filter((line) => JSON.parse(line)[0] === 256),
    )
    expect(await linesOfDay(store, 0, UTC_DAY, [17 * SHARDS, 10_000 * SHARDS])).toEqual([])
    const rows = compactedRows(store.file).filter((row) => row.utcDay === UTC_DAY && row.shard === 0)
    expect(rows.map(({ group, count }) => [group, count])).toEqual([
      [0, 2],
      [1, 1],
      [2, 1],
    ])
    expect(wanted.map((number) => groupOf(number, SHARDS))).toEqual([0, 0, 1, 2])
  })
})

describe('what lands for a compacted day later', () => {
  test('joins the body of its own devices; all others keep their id and their bytes', async () => {
    const store = temporaryStore()
    const ids = await register(store, 48 * SHARDS)
    await landRaw(
      store,
      ids.map((id, number) => visitor(id, number)),
    )
    await rollUpAllShards(store)
    await compactAll(store)
    const before = compactedRows(store.file)
    const late = [visitor(ids[17 * SHARDS], 5, 100), visitor(ids[31 * SHARDS], 6, 100)]
    await landRaw(store, late)
    const reading = await readEverything(store)
    await rollUpAllShards(store)
    expect(await compactDay(store.archive, 0, UTC_DAY)).toBe(2)
    const after = compactedRows(store.file)
    const isSame = (row: CompactedRow) => before.some((old) => JSON.stringify(old) === JSON.stringify(row))
    expect(after.filter((row) => !isSame(row))).toEqual([
      { ...after.at(-1), shard: 0, utcDay: UTC_DAY, group: 1, count: 18 },
    ])
    expect(after).toHaveLength(before.length)
    expect(after.at(-1)?.id).toBe(Math.max(...before.map(({ id }) => id)) + 1)
    expect(await readEverything(store)).toEqual(reading)
  })

  test('stays as it landed for as long as it is due', async () => {
    const store = temporaryStore()
    await landRaw(store, [visitor('a', 1)])
    await rollUpAllShards(store)
    await landRaw(store, [visitor('a', 2), visitor('a', DAY_MS)])
    const due = await store.due.segments(0)
    const before = await readEverything(store)
    expect(await compactAll(store)).toBe(1)
    expect(await compactDay(store.archive, 0, UTC_DAY + 1)).toBe(0)
    expect(await store.due.segments(0)).toEqual(due)
    expect(await store.archive.segments(0, due)).toHaveProperty('size', 2)
    expect(await readEverything(store)).toEqual(before)
    await rollUpAllShards(store)
    expect(await compactAll(store)).toBe(2)
    expect(await readEverything(store)).toEqual(before)
    expect(compactedRows(store.file).map(({ utcDay, count }) => [utcDay, count])).toEqual([
      [UTC_DAY, 2],
      [UTC_DAY + 1, 1],
    ])
  })
})

describe('a day that nothing landed for', () => {
  test('has nothing to compact, in an empty store or between others', async () => {
    const store = temporaryStore()
    expect(await compactDay(store.archive, 0, UTC_DAY)).toBe(0)
    await landRaw(store, [visitor('a', -DAY_MS), visitor('a', DAY_MS)])
    await rollUpAllShards(store)
    expect(await compactDay(store.archive, 0, UTC_DAY)).toBe(0)
    expect(await compactDay(store.archive, 1, UTC_DAY + 1)).toBe(0)
    expect(compactedRows(store.file)).toEqual([])
  })
})

describe('a compaction that fails', () => {
  test.each([
    ['an insert of a body', 'BEFORE INSERT ON compacted WHEN NEW.device_group = 1'],
    ['the deletion of a segment', 'BEFORE DELETE ON segment WHEN OLD.id = (SELECT max(id) FROM segment)'],
    ['the deletion of a body', 'BEFORE DELETE ON compacted WHEN OLD.device_group = 1'],
  ])('at %s leaves everything as it was, and is made up later', async (_, when) => {
    const store = temporaryStore()
    const ids = await register(store, 20 * SHARDS)
    await landRaw(
      store,
      ids.map((id) => visitor(id, 1)),
    )
    await rollUpAllShards(store)
    await compactDay(store.archive, 0, UTC_DAY)
    await landRaw(store, [visitor(ids[0], 2), visitor(ids[18 * SHARDS], 2)], [visitor(ids[16 * SHARDS], 3)])
    await rollUpAllShards(store)
    const saboteur = new Database(store.file)
    onTestFinished(() => void saboteur.close())
    const tables = () =>
      ['segment', 'compacted'].map((name) => saboteur.prepare(`SELECT * FROM ${name} ORDER BY id`).all())
    const [before, reading] = [tables(), await readEverything(store)]
    saboteur.exec(`CREATE TRIGGER refuse ${when} BEGIN SELECT RAISE(ABORT, 'refused'); END`)
    await expect(compactDay(store.archive, 0, UTC_DAY)).rejects.toThrow('refused')
    expect(tables()).toEqual(before)
    expect(await readEverything(store)).toEqual(reading)
    saboteur.exec('DROP TRIGGER refuse')
    expect(await compactDay(store.archive, 0, UTC_DAY)).toBe(3)
    expect(await readEverything(store)).toEqual(reading)
  })
})
