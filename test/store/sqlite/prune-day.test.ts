import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { Landing } from '../../../src/ingest/landing.ts'
import { LONGEST_DAY_MS, takenFrom } from '../../../src/store/archive.ts'
import { END_OF_TIME } from '../../../src/store/due.ts'
import { openStore, type Store } from '../../../src/store/open-store.ts'
import { batchOf, compactAll, landRaw, readEverything, rollUpAllShards } from '../../helpers/raw-events.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'
import { event, land, NOW, rollUp, visitor } from '../../rollup/shard-fixture.ts'

const DAY_MS = 86_400_000
const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
const utcDay = (date: string): number => at(`${date}T00:00`) / DAY_MS
const END = utcDay('12-31')

const of = (deviceId: string, one: object): object => ({ ...one, deviceId })
/** A device of the last shard. */
const fleet = Array.from({ length: 16 }, (_, number) => `device ${number}`)

const daysLeft = async ({ archive }: Store): Promise<(number | null)[]> =>
  Promise.all(Array.from({ length: archive.shards }, (_, shard) => archive.nextDay(shard, 0)))

describe('pruning deletes', () => {
  test('whole UTC days, the earliest of all shards first, and only those before the given one', async () => {
    const store = temporaryStore()
    const { archive } = store
    const middle = fleet.map((id) => of(id, visitor('05-10T12:00', 1)))
    await land(store, of('device 0', visitor('05-12T00:00', 1)), of('device 0', visitor('05-11T23:59', 1)), ...middle)
    await rollUpAllShards(store)
    await compactAll(store)
    await land(store, of('device 5', visitor('05-03T07:00', 1)), of('device 5', visitor('05-10T12:00', 1)))
    await rollUpAllShards(store)
    expect(await archive.purgedBefore()).toBe(0)
    expect(await archive.pruneDay(utcDay('05-03'))).toBe(null)
    expect(await archive.pruneDay(utcDay('05-04'))).toEqual({ utcDay: utcDay('05-03'), events: 1 })
    expect(await archive.purgedBefore()).toBe(at('05-04T00:00'))
    expect(await archive.pruneDay(utcDay('05-10'))).toBe(null)
    expect(await archive.purgedBefore()).toBe(at('05-04T00:00'))
    expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-10'), events: 17 })
    expect(await archive.purgedBefore()).toBe(at('05-11T00:00'))
    expect(await daysLeft(store)).toEqual([utcDay('05-11'), ...Array.from({ length: 15 }, () => null)])
    expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-11'), events: 1 })
    expect(await archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-12'), events: 1 })
    expect(await archive.pruneDay(END)).toBe(null)
    expect(await archive.purgedBefore()).toBe(at('05-13T00:00'))
    expect(await readEverything(store)).toMatchObject({ byDay: [], byDevice: [] })
  })

  test('nothing of an empty store', async () => {
    const { archive } = temporaryStore()
    expect(await archive.pruneDay(END_OF_TIME)).toBe(null)
    expect(await archive.purgedBefore()).toBe(0)
  })
})

describe('of a day up to three days before', () => {
  /** When 05-01 has just closed. */
  const CLOSED = at('05-02T00:00')

  /** Events of 05-01 that have been rolled up; then something else happens. */
  async function prunedAfter(happens: (store: Store) => Promise<unknown>): Promise<unknown[]> {
    const store = temporaryStore()
    await land(store, visitor('05-01T12:00', 1), ...fleet.map((id) => of(id, visitor('05-20T12:00', 1))))
    await rollUpAllShards(store, CLOSED)
    await happens(store)
    const before = await readEverything(store)
    const pruned = await store.archive.pruneDay(utcDay('05-02'))
    if (pruned === null) {
      expect(await readEverything(store)).toEqual(before)
      expect(await store.archive.purgedBefore()).toBe(0)
    }
    // What is due is done, what is open is closed: then it goes.
    await rollUpAllShards(store)
    return [pruned?.events ?? null, (await store.archive.pruneDay(utcDay('05-02')))?.events ?? null]
  }

  const KEPT = [null, 1]
  const GONE = [1, null]

  test('a segment that is due keeps the raw events, of whatever shard it is', async () => {
    expect(await prunedAfter((store) => land(store, visitor('05-01T13:00', 1)))).toEqual([null, 2])
    expect(await prunedAfter((store) => land(store, visitor('05-04T23:59', 1)))).toEqual(KEPT)
    expect(await prunedAfter((store) => land(store, of('device 9', visitor('05-04T23:59', 1))))).toEqual(KEPT)
    expect(await prunedAfter((store) => land(store, visitor('05-05T00:00', 1)))).toEqual(GONE)
  })

  test('a device that is due keeps them', async () => {
    const moved = (...days: readonly string[]) => {
      const fields = { type: 'placement', lat: 1, lon: 1 }
      return (store: Store) => land(store, ...days.map((day) => of('device 9', event(day, fields))))
    }
    // The first placement holds for the time before it, too.
    expect(await prunedAfter(moved('05-21T00:00'))).toEqual(KEPT)
    const later = (day: string) => async (store: Store) => {
      await moved('04-01T00:00')(store)
      await rollUpAllShards(store, CLOSED)
      await moved(day)(store)
    }
    expect(await prunedAfter(later('05-05T00:00'))).toEqual(KEPT)
    expect(await prunedAfter(later('05-05T00:01'))).toEqual(GONE)
  })

  test('a day that has not closed keeps them', async () => {
    const openOn = (day: string) => async (store: Store) => {
      await land(store, of('device 9', visitor(day, 1)))
      await rollUpAllShards(store, CLOSED)
    }
    expect(await prunedAfter(openOn('05-03T12:00'))).toEqual(KEPT)
    expect(await prunedAfter(openOn('05-04T12:00'))).toEqual(GONE)
  })
})

describe('after pruning', () => {
  const BOUND = takenFrom(at('05-11T00:00'))
  const landing = ({ landing }: Pick<Store, 'landing'>, bound: number) =>
    new Landing(landing, { now: () => NOW, purgedBefore: () => bound })

  async function pruned(): Promise<Store & { file: string }> {
    const store = temporaryStore()
    await land(store, visitor('05-10T12:00', 1), visitor('05-20T12:00', 2))
    await rollUp(store)
    expect(await store.archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-10'), events: 1 })
    expect(takenFrom(await store.archive.purgedBefore())).toBe(BOUND)
    expect(BOUND).toBe(at('05-11T00:00') + LONGEST_DAY_MS)
    return store
  }

  test('events of before what is taken are rejected alone as raw-purged, placements and all others land', async () => {
    const store = await pruned()
    const place = { type: 'placement', lat: 1, lon: 1 }
    const events = [
      { ...visitor('05-10T12:00', 1) },
      { ...visitor('05-10T12:00', 1), at: BOUND - 1 },
      { ...visitor('05-10T12:00', 1), at: BOUND },
      event('05-01T00:00', place),
    ]
    expect(await landing(store, BOUND).land({ events })).toEqual({
      landed: 2,
      rejected: 2,
      rejections: [0, 1].map((index) => ({ index, reason: 'raw-purged' })),
    })
    expect((await store.landing.counters()).rejectedByReason).toEqual({ 'raw-purged': 2 })
    expect((await store.registry.placements([0])).get(0)).toHaveLength(1)
    expect((await readEverything(store)).byDay).toHaveLength(2)
  })

  test('a landing that was checked against an older bound is refused as store-busy whole, unless it is late enough', async () => {
    const store = await pruned()
    const tables = () => {
      const database = new Database(store.file, { readonly: true })
      const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
      const all = names.map((name) => [name, database.prepare(`SELECT * FROM ${name}`).all()])
      database.close()
      return all
    }
    const before = tables()
    const late = { id: 'new', at: BOUND - 1, kind: 5, a: 1 }
    const timely = { ...late, at: BOUND }
    for (const checkedFrom of [0, 1, BOUND - 1]) {
      await expect(store.landing.land(batchOf([timely, late]), NOW, checkedFrom)).rejects.toMatchObject({
        code: 'store-busy',
        retryable: true,
      })
    }
    const place = event('05-01T00:00', { type: 'placement', lat: 1, lon: 1 })
    const bad = event('05-01T00:00', { type: 'unknown' })
    const refused = landing(store, 0).land({ events: [place, bad, { ...visitor('05-10T12:00', 1), at: BOUND - 1 }] })
    await expect(refused).rejects.toMatchObject({ code: 'store-busy' })
    expect(tables()).toEqual(before)
    // Tried again with the bound of now, each event gets its own answer.
    await landRaw(store, [timely])
    await landing(store, 0).land({ events: [place, bad, { ...visitor('05-10T12:00', 1), at: BOUND }] })
    expect(await store.landing.counters()).toMatchObject({ landed: 5, rejected: 1 })
  })

  test('a batch of a group counts with the oldest bound that one of the group was checked against', async () => {
    const store = await pruned()
    let bound = 0
    const group = new Landing(store.landing, { now: () => NOW, purgedBefore: () => bound })
    const old = group.land({ events: [{ ...visitor('05-10T12:00', 1), at: BOUND - 1 }] })
    bound = BOUND
    const other = group.land({ events: [visitor('05-20T12:00', 3)] })
    await expect(old).rejects.toMatchObject({ code: 'store-busy' })
    await expect(other).rejects.toMatchObject({ code: 'store-busy' })
    expect((await store.landing.counters()).landed).toBe(2)
  })

  test('its bound is there after a restart, and only ever grows', async () => {
    const store = await pruned()
    const again = openStore({ location: store.file, rejectsKept: 10 })
    expect(await again.archive.purgedBefore()).toBe(at('05-11T00:00'))
    expect(await again.archive.pruneDay(utcDay('05-01'))).toBe(null)
    expect(await again.archive.purgedBefore()).toBe(at('05-11T00:00'))
    expect(await again.archive.pruneDay(END)).toEqual({ utcDay: utcDay('05-20'), events: 1 })
    expect(await store.archive.purgedBefore()).toBe(at('05-21T00:00'))
    again.close()
  })
})

test('of what is landed and pruned ten times over, the space is used again', async () => {
  const store = temporaryStore()
  const database = new Database(store.file, { readonly: true })
  const pages: number[] = []
  for (let round = 0; round < 10; round++) {
    const start = at('01-01T00:00') + round * 14 * DAY_MS
    const events = Array.from({ length: 30_000 }, (_, index) => ({
      id: `device ${index % 20}`,
      at: start + (index % 10) * DAY_MS + ((index * 7919) % DAY_MS),
      kind: 2,
      a: (index * 7919) % 10_000,
    }))
    await landRaw(store, events.slice(0, 20_000), events.slice(20_000))
    await rollUpAllShards(store)
    if (round % 2 === 0) await compactAll(store)
    while ((await store.archive.pruneDay(END_OF_TIME)) !== null);
    expect(await daysLeft(store)).toEqual(Array.from({ length: 16 }, () => null))
    pages.push(database.pragma('page_count', { simple: true }) as number)
  }
  database.close()
  expect(pages[9]).toBeLessThanOrEqual(pages[2] * 1.1)
})
