import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from './loopback.ts'
import { networkOf } from './rate-limit.ts'

export interface ConnectionLimits {
  /** For all clients together. */
  connections: number
  /** For one address, or one IPv6 network; null for no limit. Loopback has no limit, because a proxy may be there. */
  connectionsPerAddress: number | null
  /** A new connection on which nothing arrives for this long is cut. */
  silentMs: number
  /** A client that takes fewer bytes of its answers, on average over `slowMs`, is cut. */
  leastBytesPerSecond: number
  slowMs: number
  /** How often the last three limits are checked. */
  lookEveryMs: number
}

/** Why a connection was cut or refused. */
export const CUTS = ['too-many', 'too-many-of-address', 'silent', 'slow'] as const

export type Cut = (typeof CUTS)[number]

/** Limits what clients can hold of a server by connections alone. Calls `onCut` for each connection cut or refused. */
export function limitConnections(server: Server, limits: ConnectionLimits, onCut: (why: Cut) => void): void {
  const open = new Map<Socket, Pace>()
  /** Connections on which no complete request has arrived, oldest first. */
  const fresh = new Map<Socket, { madeAt: number }>()
  const addresses = new AddressCounts(limits.connectionsPerAddress)
  const cut = (socket: Socket, why: Cut): void => {
    onCut(why)
    socket.destroy()
  }
  const forget = (socket: Socket): void => {
    fresh.delete(socket)
    if (open.delete(socket)) addresses.leave(socket)
  }
  server.on('connection', (socket) => {
    if (!addresses.enter(socket)) return cut(socket, 'too-many-of-address')
    open.set(socket, new Pace())
    fresh.set(socket, { madeAt: performance.now() })
    socket.once('close', () => forget(socket))
    if (open.size <= limits.connections) return
    // Connections without a request must not lock others out: the oldest of them is cut, or else the new connection.
    const [oldest = socket] = fresh.keys()
    cut(oldest, 'too-many')
    forget(oldest)
  })
  server.on('request', ({ socket }) => fresh.delete(socket))
  const look = (): void => {
    const now = performance.now()
    for (const [socket, { madeAt }] of fresh) {
      if (now - madeAt < limits.silentMs) break
      if (socket.bytesRead === 0) cut(socket, 'silent')
    }
    for (const [socket, pace] of open) if (pace.isTooSlow(socket, limits)) cut(socket, 'slow')
  }
  server.on('listening', () => {
    const timer = setInterval(look, limits.lookEveryMs).unref()
    server.once('close', () => clearInterval(timer))
  })
}

/** Counts the connections of each address. */
class AddressCounts {
  readonly #most: number
  readonly #counts = new Map<string, number>()
  readonly #counted = new WeakMap<Socket, string>()

  constructor(most: number | null) {
    this.#most = most ?? Infinity
  }

  /** Counts a connection. Returns false if its address has reached its limit. */
  enter(socket: Socket): boolean {
    const address = countedAddress(socket.remoteAddress)
    if (address === null) return true
    const count = (this.#counts.get(address) ?? 0) + 1
    if (count > this.#most) return false
    this.#counts.set(address, count)
    this.#counted.set(socket, address)
    return true
  }

  leave(socket: Socket): void {
    const address = this.#counted.get(socket)
    if (address === undefined) return
    const left = (this.#counts.get(address) ?? 0) - 1
    if (left > 0) this.#counts.set(address, left)
    else this.#counts.delete(address)
  }
}

/** Returns the part of an address that is counted; null for loopback and unknown addresses. */
function countedAddress(address: string | undefined): string | null {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')
  return plain === '' || isLoopback(plain) ? null : networkOf(plain)
}

/** Node.js's counters below its own buffers: bytes handed to the socket, and how many of them are not sent yet. */
interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/** Measures how fast a client takes its answers. Only time with unsent bytes counts. */
class Pace {
  #slowMs = 0
  #sentBefore = 0

  isTooSlow(socket: Socket, { lookEveryMs, slowMs, leastBytesPerSecond }: ConnectionLimits): boolean {
    const { _handle: handle } = socket as { _handle?: Handle | null }
    if (handle === null || handle === undefined) return false
    const sent = handle.bytesWritten - handle.writeQueueSize
    const isWaiting = handle.writeQueueSize > 0 || socket.writableLength > 0
    if (!isWaiting) {
      this.#slowMs = 0
      this.#sentBefore = sent
      return false
    }
    this.#slowMs += lookEveryMs
    if (this.#slowMs < slowMs) return false
    const isSlow = sent - this.#sentBefore < (leastBytesPerSecond * this.#slowMs) / 1000
    this.#slowMs = 0
    this.#sentBefore = sent
    return isSlow
  }
}
