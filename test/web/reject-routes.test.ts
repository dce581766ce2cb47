import { expect, test } from 'vitest'
import { visitors } from '../helpers/events.ts'
import { type AppFixture, appFixture, expectError } from './app-fixture.ts'

const URL = '/v1/rejects'
const NDJSON = { 'content-type': 'application/x-ndjson' }

const reject = async ({ post }: AppFixture, events: readonly unknown[]): Promise<void> => {
  expect((await post('/v1/telemetry', events)).json()).toMatchObject({ accepted: 0, rejected: events.length })
}

test('a rejected event is kept with its reason, its text and the time of its landing', async () => {
  const fixture = await appFixture()
  const event = { ...visitors('a', -1), note: 'Kühler "2" 😀' }
  const from = Date.now()
  await reject(fixture, [event])
  const [kept, ...others] = (await fixture.get(URL)).json().rejects
  expect(others).toEqual([])
  const raw = JSON.stringify(event)
  expect(kept).toEqual({
    id: 1,
    reason: 'out-of-range',
    raw,
    rawBytes: Buffer.byteLength(raw),
    rejectedAt: expect.any(String),
  })
  const rejectedAt = Date.parse(kept.rejectedAt)
  expect(rejectedAt >= from && rejectedAt <= Date.now()).toBe(true)
})

test('a rejected line is kept as it was, whatever it was', async () => {
  const { post, get } = await appFixture()
  const texts = ['{"deviceId": "a",  "at":0}', 'not JSON', '{"__proto__":1}', '"\\ud800"']
  await post('/v1/telemetry', texts.join('\n'), NDJSON)
  const { rejects } = (await get(URL)).json()
  expect(rejects.map(({ raw }: { raw: string }) => raw).toReversed()).toEqual(texts)
})

test('a long text is cut, and its whole length told', async () => {
  const fixture = await appFixture()
  const text = JSON.stringify('€'.repeat(100_000))
  await fixture.post('/v1/telemetry', text, NDJSON)
  const [{ raw, rawBytes }] = (await fixture.get(URL)).json().rejects
  expect(raw).toBe(text.slice(0, 65_536))
  expect(rawBytes).toBe(300_002)
})

test('pages go from the newest to the oldest, each event on one of them', async () => {
  const fixture = await appFixture()
  await reject(
    fixture,
    Array.from({ length: 7 }, (_, number) => number),
  )
  const texts: string[] = []
  let before = ''
  for (;;) {
    const { rejects, next } = (await fixture.get(`${URL}?limit=3${before}`)).json()
    texts.push(...rejects.map(({ raw }: { raw: string }) => raw))
    if (next === null) break
    before = `&before=${next}`
  }
  expect(texts).toEqual(['6', '5', '4', '3', '2', '1', '0'])
})

test('100 are on a page unless a limit from 1 to 1000 is given', async () => {
  const fixture = await appFixture()
  await reject(fixture, new Array(150).fill(null))
  expect((await fixture.get(URL)).json().rejects).toHaveLength(100)
  expect((await fixture.get(`${URL}?limit=1000`)).json()).toMatchObject({ rejects: { length: 150 }, next: null })
  for (const query of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=1.5',
    'limit=',
    'before=x',
    'before=1.5',
    'limit=1&limit=2',
  ]) {
    expectError(await fixture.get(`${URL}?${query}`), 'bad-request', /limit/, query)
  }
})

test('beyond the number that is kept the oldest are dropped', async () => {
  const fixture = await appFixture({ COOLER_REJECTS_KEPT: '2' })
  await reject(fixture, [1, 2])
  await reject(fixture, [3])
  const { rejects } = (await fixture.get(URL)).json()
  expect(rejects.map(({ raw }: { raw: string }) => raw)).toEqual(['3', '2'])
  const counters = await fixture.service.pipeline.reader.raw.counters()
  expect(counters).toMatchObject({ rejected: 3, rejectsDropped: 1, rejectedByReason: { 'not-an-object': 3 } })
})

test('where none are to be kept they are counted all the same', async () => {
  const fixture = await appFixture({ COOLER_REJECTS_KEPT: '0' })
  await reject(fixture, [1, 2])
  expect((await fixture.get(URL)).json()).toEqual({ rejects: [], next: null })
  expect(await fixture.service.pipeline.reader.raw.counters()).toMatchObject({ rejected: 2, rejectsDropped: 2 })
})
