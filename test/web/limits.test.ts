import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { RateLimit } from '../../src/web/api/rate-limit.ts'
import type { WireLimits } from '../../src/web/api/wire-limits.ts'
import { visitors } from '../helpers/events.ts'
import { appFixture, DAILY, expectError } from './app-fixture.ts'
import { dial } from './dial.ts'
import { bearer, makeKeys } from './keyed-app.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'

const LARGE_BYTES = 64 * 1024 * 1024

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** An application that listens, with its log as one text; one answer of it is large, one takes long to make. */
async function listening(wireLimits: Partial<WireLimits>, settings: Record<string, string> = {}) {
  const stream = new PassThrough()
  let log = ''
  stream.on('data', (chunk) => {
    log += chunk
  })
  const { app, service } = await appFixture(settings, { wireLimits, logger: pino({ level: 'trace' }, stream) })
  app.get('/large', { config: { access: 'open' } }, async () => 'x'.repeat(LARGE_BYTES))
  app.get('/slow', { config: { access: 'open' } }, async () => {
    await wait(600)
    return 'done'
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return { app, url, service, log: () => log }
}

/** Each short limit by itself, so that no other cuts instead. */
const SHORT_HEAD = { headMs: 150, checkEveryMs: 20 }
const SHORT_REQUEST = { headMs: 150, requestMs: 300, checkEveryMs: 20 }

describe('a slow client', () => {
  test.each([
    ['that sends nothing', ''],
    ['whose head is never complete', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'],
    ['whose first line is never complete', 'GET /hea'],
  ])('%s is cut', async (_, start) => {
    const { url } = await listening(SHORT_HEAD)
    const { socket, text } = await dial(url)
    socket.write(start)
    await once(socket, 'close')
    if (start !== '') expect(text()).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('that sends a header now and then is told 408 in the envelope, and cut', async () => {
    const { url } = await listening(SHORT_HEAD)
    const { socket, text } = await dial(url)
    socket.on('error', () => {})
    socket.write('GET /healthz HTTP/1.1\r\n')
    const timer = setInterval(() => socket.write('X-A: b\r\n'), 20)
    onTestFinished(() => clearInterval(timer))
    await once(socket, 'close')
    expect(text()).toMatch(
      /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"status":408,.*"data":null,"code":"request-timeout"/,
    )
  })

  test.each(['Content-Length: 100000', 'Transfer-Encoding: chunked'])(
    'that sends its body byte by byte (%s) is told 408 and cut, and nothing of it lands',
    async (length) => {
      const { url, service, log } = await listening(SHORT_REQUEST)
      const { socket, text } = await dial(url)
      socket.on('error', () => {})
      socket.write(`POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`)
      const timer = setInterval(() => socket.write(length.startsWith('C') ? ' ' : '1\r\n \r\n'), 20)
      onTestFinished(() => clearInterval(timer))
      await once(socket, 'close')
      expect(text()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request-timeout"\}$/)
      expect(await service.pipeline.reader.landing.counters()).toMatchObject({ landed: 0, rejected: 0 })
      expect(log()).not.toMatch(/"level":(50|60)/) // A client's fault is no error of ours.
    },
  )

  test('that does not read its answer is cut', async () => {
    const { app, url } = await listening({ stalledAnswerMs: 200 })
    const accepted = once(app.server, 'connection') as Promise<[Socket]>
    const { hostname, port } = new URL(url)
    const client = connect(Number(port), hostname).on('error', () => {})
    onTestFinished(() => void client.destroy())
    client.pause()
    client.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [socket] = await accepted
    await once(socket, 'close')
    expect(socket.bytesWritten).toBeGreaterThan(0)
  })

  test('that reads its answer slowly, but reads, gets it whole', async () => {
    const { url } = await listening({ stalledAnswerMs: 1500 })
    const { body } = await fetch(`${url}/large`, { headers: { 'accept-encoding': 'identity' } })
    let bytes = 0
    let reads = 0
    for await (const chunk of body as ReadableStream<Uint8Array>) {
      bytes += chunk.length
      if (++reads % 8 === 0) await wait(20)
    }
    expect(bytes).toBe(LARGE_BYTES)
  })

  test('that waits while a large answer is compressed for it gets it whole', async () => {
    const { url } = await listening({ stalledAnswerMs: 50 })
    expect(await (await fetch(`${url}/large`)).text()).toHaveLength(LARGE_BYTES)
  })

  test('whose answer takes long to make gets it, though the connection is quiet meanwhile', async () => {
    const { url } = await listening({ stalledAnswerMs: 50, ...SHORT_REQUEST })
    const { socket, read } = await dial(url)
    socket.write(GET)
    await read(/"ok"/)
    socket.write('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await read(/done/)
  })
})

describe('a large request', () => {
  test('whose head has more than 16 KiB is told 431 in the envelope', async () => {
    const { url } = await listening({})
    const { socket, read } = await dial(url)
    socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(17 * 1024)}\r\n\r\n`)
    await read(/^HTTP\/1\.1 431 [\s\S]*"status":431,.*"code":"head-too-large"\}$/)
  })

  test('is refused by its length before it is sent, and the connection ends', async () => {
    const { url } = await listening({}, { COOLER_BODY_LIMIT_MB: '1' })
    const { socket, text } = await dial(url)
    socket.write(`POST ${DAILY} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1048577\r\n\r\n`)
    await once(socket, 'close')
    expect(text()).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":"body-too-large"/)
  })

  test('that unpacks to more than the limit is refused, in whatever parts it is packed', async () => {
    const { post } = await appFixture({ COOLER_BODY_LIMIT_MB: '1' })
    const member = gzipSync(Buffer.alloc(700 * 1024, 0x20))
    const bombs = {
      'two members': Buffer.concat([member, member]),
      'very many': Buffer.concat(Array.from({ length: 500 }, () => member)),
      'packed twice': gzipSync(gzipSync(Buffer.alloc(64 * 1024 * 1024))),
    }
    for (const [what, bomb] of Object.entries(bombs).slice(0, 2)) {
      expectError(await post('/v1/telemetry', bomb, { 'content-encoding': 'gzip' }), 'body-too-large', /unpacked/, what)
    }
    // Unpacked once, and no JSON.
    expectError(await post('/v1/telemetry', bombs['packed twice'], { 'content-encoding': 'gzip' }), 'bad-request')
  })
})

test('connections beyond the limit are closed at once, and the others served', async () => {
  const { url } = await listening({ connections: 2 })
  const first = await dial(url)
  const second = await dial(url)
  first.socket.write(GET)
  await first.read(/"ok"/)
  second.socket.write(GET)
  await second.read(/"ok"/)
  const third = await dial(url)
  third.socket.on('error', () => {})
  await once(third.socket, 'close')
  expect(third.text()).toBe('')
  first.socket.write(GET)
  await first.read(/"ok"[\s\S]*"ok"/)
})

describe('requests a minute', () => {
  test('beyond the limit are refused with the seconds to wait, each key by itself', async () => {
    const { keys, settings } = makeKeys({ one: { scopes: ['read'] }, other: { scopes: ['read'] } })
    const { app } = await appFixture({ ...settings, COOLER_RATE_LIMIT: '3' })
    const ask = (key: string) => app.inject({ url: '/v1/devices', headers: bearer(key) })
    for (let count = 0; count < 3; count++) expect((await ask(keys.one)).statusCode).toBe(200)
    const refused = await ask(keys.one)
    expectError(refused, 'too-many-requests', /try again in \d+ s/)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(15)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(20)
    expect((await ask(keys.other)).statusCode).toBe(200)
  })

  test('of those without a key are counted by address, and a key is not held up by them', async () => {
    const { keys, settings } = makeKeys({ one: { scopes: ['read'] } })
    const { app } = await appFixture({ ...settings, COOLER_RATE_LIMIT: '2' })
    const ask = (key: string, remoteAddress: string) =>
      app.inject({ url: '/v1/devices', headers: bearer(key), remoteAddress })
    const wrong = 'w'.repeat(50)
    for (let count = 0; count < 2; count++) expectError(await ask(wrong, '192.0.2.1'), 'unauthorized')
    expectError(await ask(`${wrong}${'2'}`, '192.0.2.1'), 'too-many-requests')
    expectError(await ask(wrong, '192.0.2.2'), 'unauthorized')
    expect((await ask(keys.one, '192.0.2.1')).statusCode).toBe(200)
  })

  test('are counted by address where there are no keys, of IPv6 by its network', async () => {
    const { app } = await appFixture({ COOLER_RATE_LIMIT: '1' })
    const ask = async (remoteAddress: string) =>
      (await app.inject({ url: '/v1/devices', remoteAddress, headers: { 'x-forwarded-for': '203.0.113.9' } }))
        .statusCode
    const addresses = ['2001:db8::1', '2001:db8:0:0:ffff::9', '2001:db8:0:1::1', '192.0.2.1', '::ffff:192.0.2.9', '::1']
    const statuses: number[] = []
    for (const address of [...addresses, ...addresses]) statuses.push(await ask(address))
    expect(statuses).toEqual([200, 429, 200, 200, 200, 200, 429, 429, 429, 429, 429, 429])
  })

  test('do not count where it is open: who watches a service is not to be told that it is down', async () => {
    const { app } = await appFixture({ COOLER_RATE_LIMIT: '1' })
    for (let count = 0; count < 5; count++) expect((await app.inject('/healthz')).statusCode).toBe(200)
  })

  test('come back evenly, and never more than a minute has', () => {
    let now = 1e9
    const limit = new RateLimit(60, () => now)
    const taken = (times: number): number =>
      Array.from({ length: times }, () => limit.take('a')).filter((s) => s === 0).length
    expect(taken(100)).toBe(60)
    expect(limit.take('a')).toBe(1)
    now += 1000
    expect(taken(10)).toBe(1)
    now += 3_600_000
    expect(taken(100)).toBe(60)
    const slow = new RateLimit(1, () => now)
    expect([slow.take('a'), slow.take('a'), slow.take('b')]).toEqual([0, 60, 0])
  })

  test('of many addresses do not fill the memory, nor make one that is limited free', () => {
    const limit = new RateLimit(1, () => 1e9)
    limit.take('last')
    for (let number = 0; number < 9_999; number++) limit.take(`address ${number}`)
    expect(limit.take('last')).toBe(60)
    for (let number = 0; number < 100_000; number++) limit.take(`other ${number}`)
    expect(limit.take('last')).toBe(0)
  })
})

test('what a request says of where it comes from is not believed', async () => {
  const { app } = await appFixture({ COOLER_RATE_LIMIT: '1' })
  await app.inject({ method: 'POST', url: '/v1/telemetry', payload: JSON.stringify([visitors('a', 1)]) })
  const headers = { 'x-forwarded-for': '203.0.113.1', forwarded: 'for=203.0.113.2', 'x-real-ip': '203.0.113.3' }
  expectError(await app.inject({ url: '/v1/devices', headers }), 'too-many-requests')
})
