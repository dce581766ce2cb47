import { EventEmitter, once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { limitConnections } from '../../../src/web/api/connections.ts'
import { WIRE_LIMITS, type WireLimits } from '../../../src/web/api/wire-limits.ts'
import { eventually } from '../../helpers/eventually.ts'
import { appFixture } from '../app-fixture.ts'
import { dial } from '../dial.ts'

const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
const LARGE_BYTES = 64 * 1024 * 1024

async function listening(wireLimits: Partial<WireLimits>) {
  const { app, service } = await appFixture({}, { wireLimits })
  app.get('/large', { config: { access: 'open' } }, async () => Buffer.alloc(LARGE_BYTES))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  return { app, url, service }
}

test('a connection on which nothing comes is cut in time; one that has asked for something is not', async () => {
  const { url } = await listening({ silentMs: 100, lookEveryMs: 20 })
  const silent = await dial(url)
  const asking = await dial(url)
  asking.socket.write(GET)
  await asking.read(/"ok"/)
  await eventually(() => silent.socket.closed).toBe(true)
  expect(silent.text()).toBe('')
  asking.socket.write(GET)
  await asking.read(/"ok"[\s\S]*"ok"/)
})

test.each(['', 'GET /healthz HTTP/1.1\r\nHost'])(
  'connections without a whole request (%j) lock nobody out: the oldest makes room',
  async (start) => {
    const { url } = await listening({ connections: 20 })
    const quiet = await Promise.all(Array.from({ length: 20 }, () => dial(url)))
    for (const { socket } of quiet) socket.write(start)
    for (let count = 0; count < 5; count++) {
      const { socket, read } = await dial(url)
      socket.write(GET)
      await read(/"ok"/)
    }
    await eventually(() => quiet.filter(({ socket }) => socket.closed).length).toBe(5)
  },
)

test.each(['Host: localhost\r\nHost: localhost', 'host: a\r\nX-A: b\r\nHOST: b'])(
  'a request with two Host headers (%j) is refused',
  async (hosts) => {
    const { url } = await listening({})
    const { socket, read } = await dial(url)
    socket.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\n\r\n`)
    await read(/^HTTP\/1\.1 400 [\s\S]*"code":"bad-request"\}$/)
  },
)

describe('a client that takes its answer', () => {
  /** Takes so many bytes every 10 ms. */
  async function taking(url: string, bytes: number) {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    let taken = 0
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    socket.pause()
    const timer = setInterval(() => {
      taken += socket.read(Math.min(bytes, socket.readableLength))?.length ?? 0
    }, 10)
    onTestFinished(() => clearInterval(timer))
    return { socket, taken: () => taken }
  }
  const SLOW = { stalledAnswerMs: 60_000, slowMs: 200, lookEveryMs: 20, leastBytesPerSecond: 1_000_000 }

  test('more slowly than the least rate is cut, though it takes something all the time', async () => {
    const { app, url } = await listening(SLOW)
    const accepted = once(app.server, 'connection') as Promise<[Socket]>
    const { taken } = await taking(url, 100)
    const [socket] = await accepted
    await eventually(() => socket.closed).toBe(true)
    expect(taken()).toBeLessThan(LARGE_BYTES)
  })

  test('fast enough gets it whole', async () => {
    const { url } = await listening({ ...SLOW, leastBytesPerSecond: 1000 })
    const { body } = await fetch(`${url}/large`)
    let bytes = 0
    for await (const chunk of body as ReadableStream<Uint8Array>) {
      bytes += chunk.length
      if (bytes % 7 === 0) await sleep(5)
    }
    expect(bytes).toBe(LARGE_BYTES)
  })
})

/** A connection from an address; nothing of a real one is needed to count it. */
class Dialled extends EventEmitter {
  readonly remoteAddress: string
  isOpen = true

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.isOpen = false
    this.emit('close')
  }
}

describe('connections of one address', () => {
  function counting(connectionsPerAddress: number | null) {
    const server = new EventEmitter()
    const cuts: string[] = []
    limitConnections(server as Server, { ...WIRE_LIMITS, connectionsPerAddress }, (why) => cuts.push(why))
    const dialFrom = (address: string): Dialled => {
      const socket = new Dialled(address)
      server.emit('connection', socket)
      return socket
    }
    return { dialFrom, cuts }
  }

  test('beyond the limit are not taken, those of others are, and closed ones make room', () => {
    const { dialFrom, cuts } = counting(2)
    const first = dialFrom('192.0.2.1')
    expect([first, dialFrom('::ffff:192.0.2.1')].every(({ isOpen }) => isOpen)).toBe(true)
    expect(dialFrom('192.0.2.1').isOpen).toBe(false)
    expect(dialFrom('192.0.2.2').isOpen).toBe(true)
    expect(cuts).toEqual(['too-many-of-address'])
    first.destroy()
    expect(dialFrom('192.0.2.1').isOpen).toBe(true)
    expect(dialFrom('192.0.2.1').isOpen).toBe(false)
  })

  test('of IPv6 are those of one network', () => {
    const { dialFrom } = counting(1)
    expect(dialFrom('2001:db8::1').isOpen).toBe(true)
    expect(dialFrom('2001:db8::2').isOpen).toBe(false)
    expect(dialFrom('2001:db8:0:1::1').isOpen).toBe(true)
  })

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.1.2.3'])('of loopback (%s) have no limit', (address) => {
    const { dialFrom } = counting(1)
    expect([1, 2, 3].every(() => dialFrom(address).isOpen)).toBe(true)
  })

  test('have no limit where there is none', () => {
    const { dialFrom } = counting(null)
    expect(Array.from({ length: 1000 }, () => dialFrom('192.0.2.1')).every(({ isOpen }) => isOpen)).toBe(true)
  })
})
