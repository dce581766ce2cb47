import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { lines, manyVisitors, visitors } from '../../helpers/events.ts'
import { oncePerGroup } from '../../helpers/when-finished.ts'
import { appFixture, expectError } from '../app-fixture.ts'

const URL = '/v1/telemetry'
const NDJSON = { 'content-type': 'application/x-ndjson' }
const GZIP = { 'content-encoding': 'gzip' }
const MIB = 1024 * 1024

const good = visitors('a', 1)
const bad = { ...good, type: 'humidity' }

/** For tests that look at the answers alone, not at what has landed. */
const any = oncePerGroup(() => appFixture())

test('a body that is no batch is refused whole', async () => {
  const { app, post, service } = await appFixture()
  const bodies = {
    empty: '',
    null: 'null',
    'a number': '7',
    'a string': '"[]"',
    'an object without events': '{"event":[]}',
    'an object whose events are null': '{"events":null}',
    'an object whose events are an object': '{"events":{"0":{},"length":1}}',
    'events by the prototype': '{"__proto__":{"events":[]}}',
    'cut short': '[{"deviceId":"a"',
    'two JSON texts': '[] []',
    'lines sent as JSON': lines([good, good]),
    'not UTF-8': Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
    'UTF-16': Buffer.from('\uFEFF[]', 'utf16le'),
    'a byte order mark alone': '\uFEFF',
  }
  for (const [name, body] of Object.entries(bodies)) expectError(await post(URL, body), 'bad-request', /body/, name)
  expectError(await app.inject({ method: 'POST', url: URL }), 'bad-request', /empty/)
  expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 0, rejected: 0 })
})

describe('media types', () => {
  test('JSON by any of its names, and JSON where none is told', async () => {
    const { post } = any()
    const types = ['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.cooler+json']
    for (const type of types) expect((await post(URL, [good], { 'content-type': type })).statusCode).toBe(202)
    expect((await post(URL, [good])).statusCode).toBe(202)
  })

  test('lines by any of their names', async () => {
    const { post } = any()
    for (const type of ['application/x-ndjson', 'application/ndjson; charset=utf-8', 'application/jsonl']) {
      expect((await post(URL, lines([good, bad]), { 'content-type': type })).json()).toMatchObject({ accepted: 1 })
    }
  })

  test('anything else is not read', async () => {
    const { post } = any()
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json', ';']
    for (const type of types) expectError(await post(URL, [good], { 'content-type': type }), 'unsupported-media-type')
  })
})

describe('forms of a batch', () => {
  test('an array, an object with events, either after a byte order mark', async () => {
    const { post } = any()
    const events = [good, bad]
    for (const body of [events, { events, sender: 'any' }, `\uFEFF${JSON.stringify(events)}`]) {
      const answer = await post(URL, body)
      expect(answer.statusCode).toBe(202)
      expect(answer.json()).toEqual({ accepted: 1, rejected: 1, rejections: [{ index: 1, reason: 'unknown-type' }] })
    }
  })

  test('an empty array is a batch', async () => {
    const { post } = any()
    expect((await post(URL, [])).json()).toEqual({ accepted: 0, rejected: 0, rejections: [] })
  })

  test('lines: byte order mark, CRLF, blank lines and a missing last end change nothing, indexes count events', async () => {
    const { post } = any()
    const body = `\uFEFF${JSON.stringify(good)}\r\n\r\n \n${JSON.stringify(bad)}\r\n{"cut\n${JSON.stringify(good)}`
    const rejections = [
      { index: 1, reason: 'unknown-type' },
      { index: 2, reason: 'not-an-object' },
    ]
    expect((await post(URL, body, NDJSON)).json()).toEqual({ accepted: 2, rejected: 2, rejections })
  })

  test('a line that is not UTF-8 is rejected alone', async () => {
    const { post } = any()
    const body = Buffer.concat([Buffer.from(lines([good])), Buffer.from([0x22, 0xff, 0x22, 0x0a])])
    const rejections = [{ index: 1, reason: 'not-an-object' }]
    expect((await post(URL, body, NDJSON)).json()).toEqual({ accepted: 1, rejected: 1, rejections })
  })
})

test('rejections are listed in order, the first 100 of them, and counted all', async () => {
  const { post } = any()
  const events = Array.from({ length: 310 }, (_, index) => (index % 2 === 0 ? good : bad))
  const { accepted, rejected, rejections } = (await post(URL, events)).json()
  expect({ accepted, rejected }).toEqual({ accepted: 155, rejected: 155 })
  expect(rejections).toEqual(
    Array.from({ length: 100 }, (_, number) => ({ index: number * 2 + 1, reason: 'unknown-type' })),
  )
})

test('an event nested beyond any stack is rejected alone', async () => {
  const { post } = any()
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const body = `[${deep},${JSON.stringify(good)}]`
  expect((await post(URL, body)).json()).toMatchObject({ accepted: 1, rejections: [{ reason: 'not-an-object' }] })
})

test('fields named as those of the prototype are fields like others', async () => {
  const { post, get } = await appFixture()
  const ids = ['__proto__', 'constructor', 'hasOwnProperty']
  const body = `[${ids.map((id) => `{"deviceId":"${id}","at":"2025-06-01T12:00Z","__proto__":{"type":"power"}}`)}]`
  const timed = body.replaceAll('12:00Z', '12:00:00Z')
  expect((await post(URL, timed)).json()).toMatchObject({ accepted: 0, rejected: 3 })
  await post(
    URL,
    ids.map((id) => visitors(id, 1)),
  )
  expect((await get('/v1/devices')).json().devices.map(({ id }: { id: string }) => id)).toEqual(ids)
})

describe('size', () => {
  const most = manyVisitors(10_000)
  const tooMany = manyVisitors(10_001)

  test('10 000 events are accepted, as JSON and as lines', async () => {
    const { post, service } = await appFixture()
    expect((await post(URL, most)).json()).toMatchObject({ accepted: 10_000 })
    expect((await post(URL, lines(most), NDJSON)).json()).toMatchObject({ accepted: 10_000 })
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 20_000 })
  })

  test('10 001 are refused in either form, and none of them lands', async () => {
    const { post, service } = await appFixture()
    expectError(await post(URL, tooMany), 'batch-too-long', /10000.*parts/)
    expectError(await post(URL, { events: tooMany }), 'batch-too-long')
    expectError(await post(URL, `${lines(tooMany)}\n\n`, NDJSON), 'batch-too-long')
    expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 0, rejected: 0 })
  })

  test('a body at the limit is read, one byte more is not, told its length or not', async () => {
    const { post, app } = await appFixture({ COOLER_BODY_LIMIT_MB: '1' })
    const full = JSON.stringify([good]).padEnd(MIB)
    expect((await post(URL, full)).statusCode).toBe(202)
    expectError(await post(URL, `${full} `), 'body-too-large', /1048576/)
    const chunked = { 'transfer-encoding': 'chunked' }
    const payload = Readable.from([full, ' '])
    expectError(await app.inject({ method: 'POST', url: URL, headers: chunked, payload }), 'body-too-large')
  })
})

describe('content-encoding', () => {
  test('gzip is unpacked, of JSON and of lines, in one member or several', async () => {
    const { post } = any()
    const members = Buffer.concat([gzipSync(lines([good])), gzipSync(lines([good]))])
    expect((await post(URL, gzipSync(JSON.stringify([good])), GZIP)).json()).toMatchObject({ accepted: 1 })
    expect((await post(URL, members, { ...GZIP, ...NDJSON })).json()).toMatchObject({ accepted: 2 })
  })

  test('a coding is compared without regard to case, and x-gzip is gzip (RFC 9110 8.4.1)', async () => {
    const { post } = any()
    for (const coding of ['GZIP', 'x-gzip']) {
      const answer = await post(URL, gzipSync(JSON.stringify([good])), { 'content-encoding': coding })
      expect(answer.statusCode).toBe(202)
    }
  })

  test('what is not gzip, or cut short, is refused', async () => {
    const { post } = any()
    expectError(await post(URL, [good], GZIP), 'bad-request', /gzip/)
    expectError(await post(URL, gzipSync('[]').subarray(0, 12), GZIP), 'bad-request', /gzip/)
    expectError(await post(URL, '', GZIP), 'bad-request')
  })

  test('other codings are not read', async () => {
    const { post } = any()
    for (const coding of ['br', 'deflate', 'gzip, gzip']) {
      expectError(await post(URL, [good], { 'content-encoding': coding }), 'unsupported-media-type', /gzip/)
    }
  })

  test('a small body that unpacks to a huge one is refused', async () => {
    const { post } = await appFixture({ COOLER_BODY_LIMIT_MB: '1' })
    const bomb = gzipSync(Buffer.alloc(256 * MIB))
    expect(bomb.length).toBeLessThan(MIB)
    expectError(await post(URL, bomb, GZIP), 'body-too-large', /unpacked/)
    expectError(await post(URL, bomb, { ...GZIP, ...NDJSON }), 'body-too-large', /unpacked/)
  })
})
