import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { Landing } from '../../../src/ingest/landing.ts'
import { LONGEST_DAY_MS, takenFrom } from '../../../src/store/archive.ts'
import { END_OF_TIME } from '../../../src/store/due.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { batchOf, compactAll, landRaw, rollUpAllShards } from '../../helpers/raw-events.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'
import { event, land, NOW, rollUp, visitor } from '../../rollup/shard-fixture.ts'

const DAY_MS = 86_400_000
const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
const utcDay = (date: string): number => at(`${date}T00:00`) / DAY_MS
const END = utcDay('12-31')

const daysLeft = async ({ archive }: Store): Promise<(number | null)[]> =>
  Promise.all(Array.from({ length: archive.shards }, (_, shard) => archive.nextDay(shard, 0)))

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
  expect(pages[9]).toBeLessThanOrEqual(pages[2] * 1.2)
})
