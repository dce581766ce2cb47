import { describe, expect, test } from 'vitest'
import { NOON, visitors } from '../../helpers/events.ts'
import { type AppFixture, appFixture, expectError } from '../app-fixture.ts'

const URL = '/v1/rejects'
const NOON_MS = Date.parse(NOON)
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

test('the last page has no next one, also where it is full', async () => {
  const fixture = await appFixture()
  await reject(fixture, [1, 2, 3, 4])
  const { next } = (await fixture.get(`${URL}?limit=2`)).json()
  expect((await fixture.get(`${URL}?limit=2&before=${next}`)).json()).toMatchObject({
    rejects: { length: 2 },
    next: null,
  })
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
    expectError(await fixture.get(`${URL}?${query}`), 'bad-request', /^(limit|before) must be /, query)
  }
})

test('beyond the number that is kept the oldest are dropped', async () => {
  const fixture = await appFixture({ COOLER_REJECTS_KEPT: '2' })
  await reject(fixture, [1, 2])
  await reject(fixture, [3])
  const { rejects } = (await fixture.get(URL)).json()
  expect(rejects.map(({ raw }: { raw: string }) => raw)).toEqual(['3', '2'])
  const counters = await fixture.service.pipeline.reader.landing.counters()
  expect(counters).toMatchObject({ rejected: 3, rejectsDropped: 1, rejectedByReason: { 'not-an-object': 3 } })
})

test('where none are to be kept they are counted all the same', async () => {
  const fixture = await appFixture({ COOLER_REJECTS_KEPT: '0' })
  await reject(fixture, [1, 2])
  expect((await fixture.get(URL)).json()).toEqual({ rejects: [], byReason: {}, next: null })
  expect(await fixture.service.pipeline.reader.landing.counters()).toMatchObject({ rejected: 2, rejectsDropped: 2 })
})

test('those of one reason can be asked for alone', async () => {
  const fixture = await appFixture()
  await reject(fixture, [1, visitors('a', -1), 2])
  const { rejects, byReason } = (await fixture.get(`${URL}?reason=out-of-range`)).json()
  expect(byReason).toEqual({ 'not-an-object': 2, 'out-of-range': 1 })
  expect(rejects.map(({ reason }: { reason: string }) => reason)).toEqual(['out-of-range'])
  expectError(await fixture.get(`${URL}?reason=odd`), 'bad-request', /reason must be one of bad-row, /)
})

describe('a replay', () => {
  const replay = (fixture: AppFixture, body: object) => fixture.post(`${URL}/replay`, body)
  const kept = async (fixture: AppFixture): Promise<{ id: number; raw: string }[]> =>
    (await fixture.get(`${URL}?limit=1000`)).json().rejects

  test('lands what is good by now, keeps the rest under a new id, and forgets what it took', async () => {
    const fixture = await appFixture()
    // Received two days early, by a clock that was wrong.
    const accept = (events: readonly unknown[]) =>
      fixture.service.pipeline.ingest.run('land', {
        json: Buffer.from(JSON.stringify(events)),
        receivedAt: NOON_MS - 48 * 3_600_000,
      })
    expect(await accept([visitors('a', 1), visitors('a', -1), visitors('b', 2)])).toMatchObject({ rejected: 3 })
    const answer = await replay(fixture, { reason: 'at-in-future' })
    expect(answer.statusCode).toBe(202)
    expect(answer.json()).toEqual({
      accepted: 2,
      rejected: 1,
      rejections: [{ id: 2, reason: 'out-of-range' }],
      left: 0,
      next: null,
    })
    expect(await kept(fixture)).toMatchObject([
      { id: 4, reason: 'out-of-range', raw: JSON.stringify(visitors('a', -1)) },
    ])
    expect(await replay(fixture, { reason: 'at-in-future' }).then((again) => again.json())).toMatchObject({
      accepted: 0,
    })
  })

  test('of some ids takes these alone, and of ids that are gone none', async () => {
    const fixture = await appFixture()
    await reject(fixture, [1, 2, 3])
    expect((await replay(fixture, { ids: [1, 3, 77] })).json()).toMatchObject({ accepted: 0, rejected: 2, next: null })
    expect((await kept(fixture)).map(({ id, raw }) => [id, raw])).toEqual([
      [5, '1'],
      [4, '3'],
      [2, '2'],
    ])
  })

  test('leaves what is not whole: a text that was cut, and bytes that were no UTF-8', async () => {
    const fixture = await appFixture()
    const cut = `{"deviceId":"a","at":"${NOON}","type":"visitor","count":-1,"note":"${'x'.repeat(70_000)}"}`
    const spoiled = Buffer.from(JSON.stringify(visitors('K\xfchler', 1)), 'latin1')
    await fixture.post('/v1/telemetry', Buffer.concat([Buffer.from(`${cut}\n`), spoiled]), NDJSON)
    expect((await replay(fixture, { ids: [1, 2] })).json()).toMatchObject({ accepted: 0, rejected: 0, left: 2 })
    expect((await kept(fixture)).map(({ id }) => id)).toEqual([2, 1])
  })

  test('goes from the newest to the oldest in calls that end, however many there are', async () => {
    const fixture = await appFixture()
    for (let batch = 0; batch < 3; batch++) await reject(fixture, new Array(7_000).fill(null))
    let rejected = 0
    let before: number | undefined
    let calls = 0
    for (; calls < 9; calls++) {
      const answer = (await replay(fixture, { reason: 'not-an-object', before })).json()
      rejected += answer.rejected
      if (answer.next === null) break
      before = answer.next
    }
    expect([rejected, calls]).toEqual([21_000, 2])
  })

  test.each([
    [{}, /ids or reason/],
    [{ ids: [1], reason: 'bad-at' }, /ids or reason/],
    [{ ids: 'all' }, /ids must be an array of at most 10000, not "all"$/],
    [{ ids: [1.5] }, /^ids\[0\] must be an id, not 1.5$/],
    [{ reason: 'odd' }, /reason must be one of/],
    [{ reason: 'bad-at', before: 'x' }, /before must be an id/],
  ])('that asks for %j is refused', async (body, message) => {
    expectError(await replay(await appFixture(), body), 'bad-request', message)
  })
})
