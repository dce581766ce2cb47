import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AppParts } from '../../src/web/app.ts'
import { visitors } from '../helpers/events.ts'
import { appFixture, DAILY, expectError, SUMMARY } from './app-fixture.ts'
import { dial } from './dial.ts'

const MIB = 1024 * 1024
const DAY = 20261120

/** So many bytes of JSON that has nothing but `piece` in an array, with `before` and `after` around it. */
const filled = (bytes: number, piece: string, before = '[', after = ']'): Buffer =>
  Buffer.from(before + `${piece},`.repeat(Math.floor(bytes / (piece.length + 1))) + piece + after)

describe('a body', () => {
  test.each([
    ['POST', DAILY, 4 * MIB],
    ['POST', SUMMARY, 4 * MIB],
    ['PUT', '/v1/devices/A', MIB],
    ['POST', '/v1/rollups', 256 * 1024],
    ['POST', '/v1/rejects/replay', 256 * 1024],
    ['POST', '/v1/telemetry', 32 * MIB],
    ['POST', '/no/such/path', 256 * 1024],
  ] as const)('of %s %s may have %i bytes and no more', async (method, url, most) => {
    const { app } = await appFixture()
    const post = (bytes: number) => app.inject({ method, url, payload: Buffer.alloc(bytes, 0x20) })
    expectError(await post(most + 1), 'body-too-large', new RegExp(`larger than ${most} bytes`))
    expect((await post(most)).statusCode).not.toBe(413)
  })

  test('of a report holds 40 000 ids', async () => {
    const { land, post } = await appFixture()
    await land([visitors('device-7', 1)])
    const long = Array.from({ length: 40_000 }, (_, index) => `device-${index}`.padEnd(90, '.'))
    expect((await post(DAILY, { day: DAY, assertIds: [...long, 'device-7'] })).json().data.deviceCount).toBe(1)
  })

  test.each([
    ['ids', filled(4 * MIB - 64, '"a"', `{"day":${DAY},"assertIds":[`, ']}')],
    ['objects', filled(4 * MIB - 64, '{}', `{"day":${DAY},"a":[`, ']}')],
    ['arrays in arrays', Buffer.from('['.repeat(4 * MIB))],
    ['fields', filled(4 * MIB - 64, '"a":0', '{', '}')],
  ])('of a report with very many %s is refused before it is parsed', async (_, body) => {
    const { post } = await appFixture()
    expectError(await post(DAILY, body), 'body-too-large', /too many values/)
  })
})

describe('a batch with very many elements is refused before it is parsed', () => {
  const TOO_MANY = 6 * MIB
  const bombs: Record<string, [type: string, body: Buffer]> = {
    'an array of objects': ['application/json', filled(TOO_MANY, '{}')],
    'events of objects': ['application/json', filled(TOO_MANY, '{}', '{"events":[', ']}')],
    'objects in one event': ['application/json', filled(TOO_MANY, '{}', '[{"x":[', ']}]')],
    'numbers in one event': ['application/json', filled(TOO_MANY, '0', '[{"x":[', ']}]')],
    'arrays in arrays': ['application/json', Buffer.from('['.repeat(TOO_MANY))],
    'a line of objects': ['application/x-ndjson', filled(TOO_MANY, '{}', '{"x":[', ']}')],
    'lines of objects': ['application/x-ndjson', Buffer.from(`${`{"x":[${'{},'.repeat(20_000)}{}]}\n`.repeat(50)}`)],
    'blank lines': ['application/x-ndjson', Buffer.from('\n'.repeat(TOO_MANY))],
    'lines of a blank': ['application/x-ndjson', Buffer.from('\u00a0\n'.repeat(TOO_MANY / 3))],
  }

  test('plain or packed', async () => {
    const { post, app, land } = await appFixture()
    for (const [what, [type, body]] of Object.entries(bombs)) {
      const plain = await post('/v1/telemetry', body, { 'content-type': type })
      expectError(plain, 'batch-too-long', /./, what)
    }
    const packed = gzipSync(filled(32 * MIB - 64, '{}'), { level: 9 })
    expect(packed.length).toBeLessThan(33_000)
    expectError(await post('/v1/telemetry', packed, { 'content-encoding': 'gzip' }), 'batch-too-long')
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    await land([visitors('a', 1)])
  })

  test('but not one whose texts are full of commas and brackets', async () => {
    const { land } = await appFixture()
    const note = '[{,:"\\'.repeat(20_000)
    await land(Array.from({ length: 20 }, (_, count) => ({ ...visitors('a', 1), seq: count, note })))
  })
})

/** An application that listens, and takes only so much; what it has in hand stays there until it is let go. */
async function holding(parts: Partial<AppParts>) {
  let letGo = (): void => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const intake = { accept: () => held.then(() => ({ landed: 0, rejected: 0, rejections: [] })) }
  const { app } = await appFixture({}, { intake, ...parts })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return { app, url, letGo }
}

const head = (length: string): string => `POST /v1/telemetry HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n`

describe('bytes in hand', () => {
  test('beyond the limit are refused as overloaded, and the connection goes on; answered ones make room', async () => {
    const { url, letGo } = await holding({ mostBytesInHand: 1000 })
    const first = await dial(url)
    first.socket.write(`${head('Content-Length: 600')}${' '.repeat(600)}`)
    const second = await dial(url)
    await sleep(20)
    second.socket.write(
      `${head('Content-Length: 600')}${' '.repeat(600)}GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    )
    await second.read(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1[\s\S]*"code":"overloaded"[\s\S]*"ok"/i)
    letGo()
    await first.read(/^HTTP\/1\.1 202 /)
    second.socket.write(`${head('Content-Length: 600')}${' '.repeat(600)}`)
    await second.read(/HTTP\/1\.1 202 /)
  })

  test('are counted as they come where no length is said, and as unpacked', async () => {
    const { app, url } = await holding({ mostBytesInHand: 100_000 })
    const { socket, read } = await dial(url)
    const chunk = `${(20_000).toString(16)}\r\n${' '.repeat(20_000)}\r\n`
    socket.write(`${head('Transfer-Encoding: chunked')}${chunk.repeat(6)}0\r\n\r\n`)
    await read(/^HTTP\/1\.1 503 [\s\S]*"code":"overloaded"/)
    const packed = await app.inject({
      method: 'POST',
      url: '/v1/telemetry',
      headers: { 'content-encoding': 'gzip' },
      payload: gzipSync(Buffer.alloc(200_000)),
    })
    expectError(packed, 'overloaded')
  })

  test('of clients that go away are given back', async () => {
    const { url, app, letGo } = await holding({ mostBytesInHand: 1000 })
    for (let count = 0; count < 5; count++) {
      const { socket } = await dial(url)
      socket.write(`${head('Content-Length: 900')}${' '.repeat(600)}`)
      await sleep(10)
      socket.destroy()
      await once(socket, 'close')
    }
    letGo()
    await expect
      .poll(
        async () => (await app.inject({ method: 'POST', url: '/v1/telemetry', payload: ' '.repeat(900) })).statusCode,
      )
      .toBe(202)
  })
})

test('while the event loop lags, all but what is open to everybody is refused', async () => {
  const { app } = await holding({ pressureLimits: { lateMs: -1000, lookEveryMs: 100 } })
  await expect.poll(async () => (await app.inject('/v1/devices')).json().code).toBe('overloaded')
  expectError(await app.inject('/v1/devices'), 'overloaded', /behind/)
  expect((await app.inject('/healthz')).statusCode).toBe(200)
})

test('while the heap is nearly full, too', async () => {
  const { app } = await holding({ pressureLimits: { heapShare: 0, lookEveryMs: 100 } })
  await expect.poll(async () => (await app.inject('/v1/devices')).json().message).toMatch(/memory/)
  expect((await app.inject('/healthz')).statusCode).toBe(200)
})
