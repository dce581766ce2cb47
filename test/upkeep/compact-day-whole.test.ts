import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { Kind, NO_SEQ } from '../../src/event/event-columns.ts'
import type { Store } from '../../src/store/open-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { cooler } from '../cli/cooler.ts'
import { compactAll, landRaw, linesOfDay, type Raw, readEverything, rollUpAllShards } from '../helpers/raw-events.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'

const DAY_MS = 86_400_000
const UTC_DAY = 19_853
const MIDNIGHT = UTC_DAY * DAY_MS

function opened(location: string): Store {
  const store = openSqliteStore({ location, rejectsKept: 10 })
  onTestFinished(() => store.close())
  return store
}

/** So many events on each of some days, of devices in all shards. */
const spread = (days: number, perDay: number): Raw[] =>
  Array.from({ length: days * perDay }, (_, index) => ({
    id: `device ${(index * 7) % 300}`,
    at: MIDNIGHT + (index % days) * DAY_MS + ((index * 7919) % DAY_MS),
    kind: Kind.visitorCount,
    a: index % 5,
    seq: index % 3 === 0 ? index : NO_SEQ,
  }))

test('two compactions of one day at once lose nothing, and one of them has done it', async () => {
  const first = temporaryStore()
  const second = opened(first.file)
  await landRaw(first, spread(1, 500), spread(1, 800))
  await rollUpAllShards(first)
  await landRaw(first, spread(1, 300))
  const before = await readEverything(first)
  await rollUpAllShards(first)
  const expected = before.byDay.filter((line) => JSON.parse(line)[0] % first.archive.shards === 0).length
  const counts = await Promise.all([first, second, first].map(({ archive }) => compactDay(archive, 0, UTC_DAY)))
  expect([...counts].sort((one, other) => one - other)).toEqual([0, 0, expected])
  await Promise.all([compactAll(first), compactAll(second)])
  expect(await readEverything(second)).toEqual(before)
  expect(await first.archive.daysToCompact(100_000)).toEqual([])
})

const raw: fc.Arbitrary<Raw> = fc
  .record({
    id: fc.constantFrom(...Array.from({ length: 40 }, (_, number) => `device ${number}`)),
    at: fc.integer({ min: 0, max: 3 * 24 }).map((hours) => MIDNIGHT + hours * 3_600_000),
    kind: fc.constantFrom(...Object.values(Kind)),
    a: fc.integer({ min: -2, max: 2 }),
    b: fc.integer({ min: -1, max: 1 }),
    seq: fc.constantFrom(NO_SEQ, NO_SEQ, 0, 5, Number.MAX_SAFE_INTEGER),
    address: fc.constantFrom(null, null, null, null, 'Zoo', '', '\uD83E'),
  })
  .map(({ address, ...one }) => (address === null ? one : { ...one, address }))

/** Either some events that land, or a rollup of what is due, or a compaction of the n-th day that can be. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.array(raw, { minLength: 1, maxLength: 30, size: 'max' }) },
  { weight: 2, arbitrary: fc.constant('roll up' as const) },
  { weight: 3, arbitrary: fc.nat(100) },
)

test('any order of landings, rollups and compactions keeps every event, as often as it landed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }), async (steps) => {
      const [store, plain] = [':memory:', ':memory:'].map((location) => openSqliteStore({ location, rejectsKept: 10 }))
      try {
        for (const one of steps) {
          if (one === 'roll up') await rollUpAllShards(store)
          else if (typeof one === 'number') await compactOne(store, one)
          else for (const { landing } of [store, plain]) await landRaw({ landing }, one)
        }
        expect(await readEverything(store)).toEqual(await readEverything(plain))
      } finally {
        await store.close()
        await plain.close()
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 36), endOnFailure: true },
  )
})

async function compactOne({ archive }: Store, place: number): Promise<void> {
  const days = await archive.daysToCompact(100_000)
  if (days.length === 0) return
  const { shard, utcDay } = days[place % days.length]
  await compactDay(archive, shard, utcDay)
}

async function allLines(store: Store): Promise<string[]> {
  const lines: string[] = []
  for (let shard = 0; shard < store.archive.shards; shard++) {
    for (
      let day = await store.archive.nextDay(shard, 0);
      day !== null;
      day = await store.archive.nextDay(shard, day + 1)
    )
      lines.push(...(await linesOfDay(store, shard, day)))
  }
  return lines.sort()
}

test('a compaction that is killed at any moment leaves a sound file with every event in it', async () => {
  const program = cooler()
  const store = opened(program.store)
  await landRaw(store, spread(70, 200), spread(70, 100))
  await rollUpAllShards(store)
  const before = await allLines(store)
  const days = async (): Promise<number> => (await store.archive.daysToCompact(100_000)).length
  const database = new Database(program.store)
  onTestFinished(() => void database.close())
  const bodies = () => database.prepare('SELECT count(*) FROM compacted').pluck().get() as number
  for (const more of [1, 20, 60]) {
    const wanted = bodies() + more
    const running = program.spawn(['compact'])
    while (bodies() < wanted && running.child.exitCode === null) await new Promise(setImmediate)
    running.child.kill('SIGKILL')
    expect(await running.outcome).toMatchObject({ code: null, stderr: '' })
    expect(database.pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await allLines(store)).toEqual(before)
  }
  expect(await days()).toBeGreaterThan(0)
  const [compacted] = await program.json('compact', '--json')
  expect(compacted.events).toBeLessThan(before.length)
  expect(await days()).toBe(0)
  expect(await allLines(store)).toEqual(before)
})
