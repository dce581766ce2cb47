import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MAX_RAW_UNITS } from '../../src/event/event-batch.ts'
import { type IncomingBatch, Landing } from '../../src/ingest/landing.ts'
import type { Store } from '../../src/store/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/connection.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'

const NOW = Date.parse('2024-05-10T12:00:00Z')
const HOUR_MS = 3_600_000
const UTC_DAY = 19_853

const visitor = (count: unknown, at = NOW, deviceId = 'a'): object => ({ deviceId, at, type: 'visitor', count })
const jsonBody = (value: unknown): IncomingBatch => ({ json: Buffer.from(JSON.stringify(value)) })

const landingInto = (store: Store, purgedBefore = 0): Landing =>
  new Landing(store.landing, { now: () => NOW, purgedBefore: () => purgedBefore })

/** The visitor counts of each segment of the day of `NOW`, in the order in which they landed. */
async function landedCounts({ archive }: Store): Promise<number[][]> {
  const all: number[][] = []
  for (let shard = 0; shard < archive.shards; shard++)
    for (const { a } of await archive.eventsOfDay(shard, UTC_DAY)) all.push([...a])
  return all
}

const good = { landed: 1, rejected: 0, rejections: [] }

describe('a group', () => {
  test('of all batches of one turn is one commit', async () => {
    const store = temporaryStore()
    const landing = landingInto(store)
    const batches = Array.from({ length: 50 }, (_, index) => landing.land({ events: [visitor(index)] }))
    expect(await Promise.all(batches)).toEqual(batches.map(() => good))
    expect(await landedCounts(store)).toEqual([Array.from({ length: 50 }, (_, index) => index)])
    expect(await store.due.segments(0)).toHaveLength(1)
  })

  test('of a batch that is awaited is the next commit', async () => {
    const store = temporaryStore()
    const landing = landingInto(store)
    await landing.land({ events: [visitor(1)] })
    await landing.land({ events: [visitor(2)] })
    expect(await landedCounts(store)).toEqual([[1], [2]])
  })

  // As a store does that commits off this thread.
  test('of all batches that come in while a commit is under way is the next commit', async () => {
    const store = temporaryStore()
    const commit = store.landing.land.bind(store.landing)
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => (finish = resolve))
    store.landing.land = (group, landedAt) => gate.then(() => commit(group, landedAt))
    const landing = landingInto(store)
    const batches: Promise<unknown>[] = []
    for (const count of [1, 2, 3]) {
      batches.push(landing.land({ events: [visitor(count)] }))
      await nextTurn()
    }
    finish()
    await Promise.all(batches)
    expect(await landedCounts(store)).toEqual([[1], [2, 3]])
  })

  test('is committed without waiting when it holds 600 000 events', async () => {
    const store = temporaryStore()
    const landing = landingInto(store)
    const events = Array.from({ length: 10_000 }, () => visitor(1))
    await Promise.all(Array.from({ length: 61 }, () => landing.land({ events })))
    expect((await landedCounts(store)).map(({ length }) => length)).toEqual([600_000, 10_000])
  })
})

test('where the commit fails each batch of the group fails, nothing has landed, and all can land again', async () => {
  const store = temporaryStore()
  const landing = landingInto(store)
  const saboteur = openSqlite(store.file)
  onTestFinished(() => void saboteur.close())
  saboteur.exec("CREATE TRIGGER refuse BEFORE INSERT ON due_segment BEGIN SELECT RAISE(ABORT, 'refused'); END")
  const land = () =>
    Promise.allSettled([
      landing.land({ events: [visitor(1), visitor('x')] }),
      landing.land(jsonBody([visitor(2, NOW, 'b')])),
      landing.land({ ndjson: Buffer.from(JSON.stringify(visitor(3))) }),
    ])
  const failed = await land()
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(failed).toEqual(
    failed.map(() => ({ status: 'rejected', reason: expect.objectContaining({ message: 'refused' }) })),
  )
  expect(await store.registry.devices()).toEqual([])
  expect(await store.landing.counters()).toMatchObject({ landed: 0, rejected: 0 })

  saboteur.exec('DROP TRIGGER refuse')
  expect((await land()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  expect(await landedCounts(store)).toEqual([[1, 3], [2]])
  expect(await store.landing.counters()).toMatchObject({ landed: 3, rejected: 1 })
})

test.each<[string, IncomingBatch]>([
  ['no JSON', { json: Buffer.from('[{') }],
  ['JSON of another form', jsonBody(visitor(9))],
  ['a queue job without events', { events: undefined }],
  ['a batch of more than 10 000 events', jsonBody(Array.from({ length: 10_001 }, () => 1))],
  ['more lines than it may have', { ndjson: Buffer.from(`${JSON.stringify(visitor(9))}\n{}\n{}`), mostLines: 2 }],
])('%s fails alone and keeps nothing; its group lands', async (_, body) => {
  const store = temporaryStore()
  const landing = landingInto(store)
  const [one, bad, other] = await Promise.allSettled([
    landing.land({ events: [visitor(1)] }),
    landing.land(body),
    landing.land({ events: [visitor(2)] }),
  ])
  expect(bad).toMatchObject({
    status: 'rejected',
    reason: { code: expect.stringMatching(/bad-request|batch-too-long/) },
  })
  expect([one, other]).toEqual([good, good].map((value) => ({ status: 'fulfilled', value })))
  expect(await landedCounts(store)).toEqual([[1, 2]])
  expect(await store.landing.counters()).toMatchObject({ landed: 2, rejected: 0 })
})

describe('when a batch came in', () => {
  const reasonAt = async (hours: number, receivedAt?: number): Promise<string> => {
    const event = visitor(1, NOW + hours * HOUR_MS)
    const batch = receivedAt === undefined ? { events: [event] } : { events: [event], receivedAt }
    const { rejections } = await landingInto(temporaryStore()).land(batch)
    return rejections[0]?.reason ?? 'landed'
  }

  test('is now, and events up to 24 hours later land', async () => {
    expect([await reasonAt(24), await reasonAt(24 + 1 / HOUR_MS)]).toEqual(['landed', 'at-in-future'])
  })

  test('is what the intake says, where that is earlier', async () => {
    const received = NOW - 5 * HOUR_MS
    expect([await reasonAt(19, received), await reasonAt(20, received)]).toEqual(['landed', 'at-in-future'])
  })

  test('is now all the same, where the clock of the intake runs ahead', async () => {
    const received = NOW + 48 * HOUR_MS
    expect([await reasonAt(24, received), await reasonAt(25, received)]).toEqual(['landed', 'at-in-future'])
  })
})

test('raw events of deleted days are rejected', async () => {
  const landing = landingInto(temporaryStore(), NOW - HOUR_MS)
  const events = [visitor(1, NOW - HOUR_MS - 1), visitor(1, NOW - HOUR_MS)]
  expect((await landing.land({ events })).rejections).toEqual([{ index: 0, reason: 'raw-purged' }])
})

test('the first 100 rejections are told, by their places among the events of their own batch', async () => {
  const store = temporaryStore()
  const landing = landingInto(store)
  const events = Array.from({ length: 301 }, (_, index) => (index % 2 === 1 ? visitor(index) : visitor('x')))
  const [first, second] = await Promise.all([landing.land({ events }), landing.land({ events: [visitor(1), 7] })])
  const rejections = Array.from({ length: 100 }, (_, index) => ({ index: 2 * index, reason: 'not-a-number' }))
  expect(first).toEqual({ landed: 150, rejected: 151, rejections })
  expect(second).toEqual({ landed: 1, rejected: 1, rejections: [{ index: 1, reason: 'not-an-object' }] })
  const lines = `\n${JSON.stringify(visitor(1))}\n\n{"a"\r\n[]`
  expect(await landing.land({ ndjson: Buffer.from(lines) })).toEqual({
    landed: 1,
    rejected: 2,
    rejections: [
      { index: 1, reason: 'not-an-object' },
      { index: 2, reason: 'not-an-object' },
    ],
  })
  expect((await store.rejects.page({ limit: 3 })).map(({ raw }) => raw)).toEqual(['[]', '{"a"', '7'])
})

test('a rejected event is kept with its text, cut where it is very long', async () => {
  const store = temporaryStore()
  const long = { ...visitor('x'), more: 'ä'.repeat(MAX_RAW_UNITS) }
  await landingInto(store).land({ events: [long] })
  const text = JSON.stringify(long)
  expect(await store.rejects.page({ limit: 1 })).toMatchObject([
    { raw: text.slice(0, MAX_RAW_UNITS), rawBytes: Buffer.byteLength(text), reason: 'not-a-number', rejectedAt: NOW },
  ])
})
