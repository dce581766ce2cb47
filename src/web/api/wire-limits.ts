import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import type { ConnectionLimits } from './connections.ts'

/** Limits on what one client can hold of the server, and for how long. */
export interface WireLimits extends ConnectionLimits {
  /** From the first byte of a request to the end of its head. */
  headMs: number
  /** From the first byte of a request to the end of its body: a body of the default limit at 2.2 Mbit/s. */
  requestMs: number
  /** Between two requests on a connection; longer than the 60 s for which load balancers keep theirs. */
  idleMs: number
  /** A client that takes nothing of its answer for this long is cut off. */
  stalledAnswerMs: number
  /** How often `headMs` and `requestMs` are checked; a client may exceed them by this much. */
  checkEveryMs: number
}

export const WIRE_LIMITS: WireLimits = {
  headMs: 15_000,
  requestMs: 120_000,
  idleMs: 72_000,
  stalledAnswerMs: 30_000,
  checkEveryMs: 5_000,
  // An idle connection costs about 30 KiB.
  connections: 4096,
  connectionsPerAddress: 256,
  silentMs: 15_000,
  leastBytesPerSecond: 16 * 1024,
  slowMs: 30_000,
  lookEveryMs: 1_000,
}

const HEAD_BYTES = 16 * 1024

/** Returns the limits that Fastify and Node.js enforce, as options of the server. */
export const serverOptions = ({ headMs, requestMs, idleMs, checkEveryMs }: WireLimits) => ({
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  http: {
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: HEAD_BYTES,
    requireHostHeader: false, // checked below instead, to answer in the envelope
  },
})

/** Enforces the limits that Fastify and Node.js do not. */
export function keepWireLimits(app: FastifyInstance, { stalledAnswerMs }: Pick<WireLimits, 'stalledAnswerMs'>): void {
  // By default Node.js answers 417, outside the envelope. RFC 9110 10.1.1 lets a server ignore unknown expectations.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.addHook('onRequest', ({ headers, raw }, _reply, done) => {
    if (headers.host === undefined && raw.httpVersion === '1.1')
      return done(new CoolerError('bad-request', 'the request has no Host header'))
    // Node.js uses the first Host header, but a proxy before it may have used the last.
    if (hostsIn(raw.rawHeaders) > 1) return done(new CoolerError('bad-request', 'the request has two Host headers'))
    done()
  })
  // Set only while an answer is sent, because a rollup that is waited for may take long. After the answer Node.js
  // returns to its own timer for idle connections. (An injected request has no real socket.)
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    raw.socket.setTimeout?.(stalledAnswerMs)
    done()
  })
}

/** Returns the number of Host headers in a raw head, where names and values alternate. */
function hostsIn(head: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < head.length; at += 2) {
    if (head[at].length === 'host'.length && head[at].toLowerCase() === 'host') hosts++
  }
  return hosts
}
