import { expect, onTestFinished, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { Kind, NO_SEQ } from '../../../src/event/event-columns.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { emptyCommit } from '../../../src/store/rollup-store.ts'
import { eventually } from '../../helpers/eventually.ts'
import { withClient } from '../../helpers/postgres-database.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { DAY_MS, LANDED_AT, MIDNIGHT, UTC_DAY, visitors } from '../landing-fixture.ts'

const databases = new WeakMap<Store, string>()
const databaseOf = (store: Store): string => databases.get(store) as string

/** Stores with several shards on one database, each with connections of its own. */
async function stores(count: number): Promise<Store[]> {
  const location = await temporaryDatabase()
  const opened: Store[] = []
  for (let nth = 0; nth < count; nth++) opened.push(await openPostgresStore({ location, rejectsKept: 10 }, 4))
  for (const store of opened) databases.set(store, location)
  onTestFinished(async () => {
    for (const store of opened) await store.close()
  })
  return opened
}

async function eventsOf({ archive }: Store, utcDay: number): Promise<number> {
  let events = 0
  for (let shard = 0; shard < archive.shards; shard++) {
    for (const { count } of await archive.eventsOfDay(shard, utcDay)) events += count
  }
  return events
}

test('ids that several writers register at the same time get one number each, without a hole, and every event lands', async () => {
  const writers = await stores(4)
  const ids = Array.from({ length: 60 }, (_, number) => `device ${number}`)
  const rounds = 12
  await Promise.all(
    writers.map(async ({ landing }, writer) => {
      for (let round = 0; round < rounds; round++) {
        const batch = new EventBatch()
        const from = (round * 5 + writer) % ids.length
        for (let nth = 0; nth < 20; nth++)
          batch.add(ids[(from + nth * 3) % ids.length], MIDNIGHT + round, NO_SEQ, Kind.visitorCount, 1, 0)
        await landing.land(batch, LANDED_AT)
      }
    }),
  )
  const [{ registry, archive, landing }] = writers
  const devices = await registry.devices()
  expect(devices.map(({ id }) => id)).toEqual(ids.slice().sort())
  const counts = await registry.numberCounts()
  const expected = counts.flatMap((count, shard) =>
    Array.from({ length: count }, (_, local) => local * archive.shards + shard),
  )
  expect(devices.map(({ number }) => number).sort((one, other) => one - other)).toEqual(
    expected.sort((one, other) => one - other),
  )
  const landed = writers.length * rounds * 20
  expect((await landing.counters()).landed).toBe(landed)
  expect(await eventsOf(writers[0], UTC_DAY)).toBe(landed)
})

test('a day is not pruned while an event of it is landing, which nobody sees yet', async () => {
  const [one, other] = await stores(2)
  await one.landing.land(visitors(['a', MIDNIGHT, 1]), LANDED_AT)
  await takeAll(one)
  const location = databaseOf(one)
  await withClient(location, async (client) => {
    // Stops the landing after it has seen which days are kept, and before it writes.
    await client.query('BEGIN; LOCK TABLE segment IN SHARE MODE')
    const landed = one.landing.land(visitors(['a', MIDNIGHT + 1, 1]), LANDED_AT)
    const isWaiting = "SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'segment'::regclass AND NOT granted"
    await eventually(async () => (await client.query(isWaiting)).rows[0].count).toBe(1)
    await expect(other.archive.pruneDay(UTC_DAY + 1)).rejects.toMatchObject({ code: 'store-busy' })
    await client.query('COMMIT')
    await landed
  })
  expect(await other.archive.purgedBefore()).toBe(0)
  expect(await other.archive.pruneDay(UTC_DAY + 1)).toBe(null)
  expect(await eventsOf(other, UTC_DAY)).toBe(2)
  await takeAll(other)
  expect(await other.archive.pruneDay(UTC_DAY + 1)).toEqual({ utcDay: UTC_DAY, events: 2 })
})

test('a landing that waited for a pruning is refused if its day has gone meanwhile', async () => {
  const [one, other] = await stores(2)
  await one.landing.land(visitors(['a', MIDNIGHT, 1]), LANDED_AT)
  await takeAll(one)
  await withClient(databaseOf(one), async (client) => {
    await client.query('BEGIN; LOCK TABLE guard IN EXCLUSIVE MODE')
    const landed = other.landing.land(visitors(['a', MIDNIGHT + 1, 1]), LANDED_AT)
    const isWaiting = "SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'guard'::regclass AND NOT granted"
    await eventually(async () => (await client.query(isWaiting)).rows[0].count).toBe(1)
    await client.query(`UPDATE guard SET purged_before = ${MIDNIGHT + DAY_MS}; COMMIT`)
    await expect(landed).rejects.toMatchObject({ code: 'store-busy' })
  })
  expect((await one.landing.counters()).landed).toBe(1)
})

/** Makes nothing due any more, as a rollup does. */
async function takeAll({ archive, due, rollups }: Store): Promise<void> {
  for (let shard = 0; shard < archive.shards; shard++) {
    const doneSegments = (await due.segments(shard)).map(({ id }) => id)
    await rollups.commit({ ...emptyCommit(shard, await rollups.version(shard), LANDED_AT), doneSegments })
  }
}
