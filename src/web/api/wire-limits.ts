import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import type { ConnectionLimits } from './connections.ts'

/** What one client can hold of the server, and for how long. */
export interface WireLimits extends ConnectionLimits {
  /** From the first byte of a request to the end of its head. */
  headMs: number
  /** From the first byte of a request to the end of its body: a body of the default limit at 2.2 Mbit/s. */
  requestMs: number
  /** Between two requests of a connection; more than the 60 s for which load balancers keep theirs. */
  idleMs: number
  /** A client that takes nothing of its answer for so long is cut off. */
  stalledAnswerMs: number
  /** How often the first two are looked after: a client may have so much more. */
  checkEveryMs: number
}

export const WIRE_LIMITS: WireLimits = {
  headMs: 15_000,
  requestMs: 120_000,
  idleMs: 72_000,
  stalledAnswerMs: 30_000,
  checkEveryMs: 5_000,
  // An idle one costs some 30 KiB.
  connections: 4096,
  connectionsPerAddress: 256,
  silentMs: 15_000,
  leastBytesPerSecond: 16 * 1024,
  slowMs: 30_000,
  lookEveryMs: 1_000,
}

const HEAD_BYTES = 16 * 1024

/** The limits that Fastify and Node.js keep, as options of the server. */
export const serverOptions = ({ headMs, requestMs, idleMs, checkEveryMs }: WireLimits) => ({
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  http: {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: HEAD_BYTES,
    requireHostHeader: false, // required in the envelope instead, below
  },
})

/** The limits that are left to us. */
export function keepWireLimits(app: FastifyInstance, { stalledAnswerMs }: Pick<WireLimits, 'stalledAnswerMs'>): void {
  // Of itself Node.js answers 417, outside the envelope; RFC 9110 (10.1.1) lets a server pass over what it does not know.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1')
      return done(new CoolerError('bad-request', 'the request has no Host header'))
    // Node.js takes the first, and something before it may have taken the last.
    if (hostsIn(raw.rawHeaders) > 1) return done(new CoolerError('bad-request', 'the request has two Host headers'))
    done()
  })
  // Only while an answer is sent: a rollup that is waited for may take its time. When the answer is out, Node.js goes on
  // to its own timer, that of idle connections. (A request that is injected has no real socket.)
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    raw.socket.setTimeout?.(stalledAnswerMs)
    done()
  })
}

/** How often a head names a host; names and values take turns in it. */
function hostsIn(head: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < head.length; at += 2) {
    if (head[at].length === 'host'.length && head[at].toLowerCase() === 'host') hosts++
  }
  return hosts
}
