import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { isLoopback } from './loopback.ts'
import { networkOf } from './rate-limit.ts'

export interface ConnectionLimits {
  /** Of all together. */
  connections: number
  /** Of one address; of IPv6 one network. Loopback has no such limit: a proxy may be there. Null for none. */
  connectionsPerAddress: number | null
  /** A connection on which nothing has come for so long since it was made is cut. */
  silentMs: number
  /** A client that takes less than this of its answers, in the mean of `slowMs`, is cut. */
  leastBytesPerSecond: number
  slowMs: number
  /** How often the last three are looked after. */
  lookEveryMs: number
}

/** Why a connection was cut or not taken. */
export const CUTS = ['too-many', 'too-many-of-address', 'silent', 'slow'] as const

export type Cut = (typeof CUTS)[number]

/** Keeps what clients can hold of a server by connections alone. `onCut` hears of each that is cut or not taken. */
export function limitConnections(server: Server, limits: ConnectionLimits, onCut: (why: Cut) => void): void {
  const open = new Map<Socket, Pace>()
  /** Those on which no request has come whole, the oldest first. */
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
    // Connections that ask for nothing lock nobody out: the oldest of them makes room, or else this one goes.
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

/** Connections of each address. */
class AddressCounts {
  readonly #most: number
  readonly #counts = new Map<string, number>()
  readonly #counted = new WeakMap<Socket, string>()

  constructor(most: number | null) {
    this.#most = most ?? Infinity
  }

  /** Counts a connection; false where its address has no room for it. */
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

/** The part of an address that is counted; null of loopback. */
function countedAddress(address: string | undefined): string | null {
  const plain = (address ?? '').replace(/^::ffff:(?=\d+\.)/, '')
  return plain === '' || isLoopback(plain) ? null : networkOf(plain)
}

/** What Node.js knows of a socket below its own buffers: bytes that it was given, and how many of them are not sent yet. */
interface Handle {
  bytesWritten: number
  writeQueueSize: number
}

/** How fast a client takes its answers; only time in which there is more to take counts. */
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
