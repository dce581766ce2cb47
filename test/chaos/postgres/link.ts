import { once } from 'node:events'
import { createServer, connect as open, type Server, type Socket } from 'node:net'

/** A port that leads to another one, of 127.0.0.1: the network between a process and a server. */
export interface Link {
  readonly port: number
  /** The port that it leads to. */
  target(): number
  /** Leads to another port from now on, and cuts what is open. */
  lead(port: number): void
  /** While it is down, nothing gets through, and nobody is told: connections stay open, and new ones get no answer. */
  down(): void
  up(): void
  close(): void
}

/** Makes a link to a port, at an address of this machine. */
export async function openLink(target: number, address = '127.0.0.1'): Promise<Link> {
  let port = target
  let isDown = false
  const pairs = new Set<readonly [Socket, Socket]>()
  const server: Server = createServer((near) => {
    const far = open({ port, host: '127.0.0.1' })
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on('data', (bytes) => void other.write(bytes))
      one.on('end', () => other.end())
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    if (isDown) for (const one of pair) one.pause()
  })
  server.listen(0, address)
  await once(server, 'listening')
  const listens = server.address()
  const each = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) pair.forEach(act)
  }
  return {
    port: typeof listens === 'object' && listens ? listens.port : 0,
    target: () => port,
    lead(next) {
      port = next
      each((socket) => socket.destroy())
    },
    down() {
      isDown = true
      each((socket) => socket.pause())
    },
    up() {
      isDown = false
      each((socket) => socket.resume())
    },
    close() {
      server.close()
      each((socket) => socket.destroy())
    },
  }
}
