import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'

/** Ids accepted from callers, so that a proxy or client that has named a request finds it by that name. */
const GIVEN_ID = /^[\w.:-]{1,64}$/

/** Returns a function that names requests: by `X-Request-Id` of the caller, else by a name unique across processes. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const own = randomBytes(6).toString('base64url')
  let count = 0
  return ({ headers: { 'x-request-id': given } }) =>
    typeof given === 'string' && GIVEN_ID.test(given) ? given : `${own}-${++count}`
}

/** Logs one line for each answer at debug level, which is off by default. While it is off, this costs nothing. */
export function logAnswers(app: FastifyInstance): void {
  if (!['debug', 'trace'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    app.log.debug({ ...requestFields(request), status, seconds: elapsedTime / 1000 }, 'answered')
    done()
  })
}

/** Returns the log fields of a request. Query and raw path are left out: they may hold data that must not be logged. */
export const requestFields = ({ id, method, routeOptions, apiKey, ip }: FastifyRequest) => ({
  reqId: id,
  method,
  route: routeOptions.url ?? null,
  key: apiKey?.name ?? null,
  address: ip,
})

/** Shortest time between two lines for the same kind of overload. */
const OVERLOAD_EVERY_MS = 10_000

/** Returns a log of overload: at most one line a reason in ten seconds, with the requests refused since the last. */
export function overloadLog(logger: FastifyBaseLogger): (error: Error) => void {
  const seen = new Map<string, { loggedAt: number; refused: number }>()
  return ({ message, cause }) => {
    const reason = seen.get(message) ?? { loggedAt: Number.NEGATIVE_INFINITY, refused: 0 }
    seen.set(message, reason)
    reason.refused++
    const now = performance.now()
    if (now - reason.loggedAt < OVERLOAD_EVERY_MS) return
    logger.warn(
      { reason: message, refused: reason.refused, ...(cause === undefined ? {} : { err: cause }) },
      'overloaded',
    )
    Object.assign(reason, { loggedAt: now, refused: 0 })
  }
}
