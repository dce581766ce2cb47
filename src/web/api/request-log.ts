import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'

/** What a caller may name a request: a proxy or a client that has a name for it already finds it by that. */
const GIVEN_ID = /^[\w.:-]{1,64}$/

/** Names requests: as the caller does (`X-Request-Id`), else by a name that no other process gives. */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const own = randomBytes(6).toString('base64url')
  let count = 0
  return ({ headers: { 'x-request-id': given } }) =>
    typeof given === 'string' && GIVEN_ID.test(given) ? given : `${own}-${++count}`
}

/** One line for each answer, at a level that is off by default; while it is off, nothing is done for it. */
export function logAnswers(app: FastifyInstance): void {
  if (!['debug', 'trace'].includes(app.log.level)) return
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime } = reply
    app.log.debug({ ...requestFields(request), status, seconds: elapsedTime / 1000 }, 'answered')
    done()
  })
}

/** What tells of a request in the log: no query or path as it came, which may hold what is not for a log. */
export const requestFields = ({ id, method, routeOptions, apiKey, ip }: FastifyRequest) => ({
  reqId: id,
  method,
  route: routeOptions.url ?? null,
  key: apiKey?.name ?? null,
  address: ip,
})

/** Longest silence between two lines of the same kind of overload. */
const OVERLOAD_EVERY_MS = 10_000

/** Logs that load is shed: for each reason at most one line in ten seconds, with how many requests it was since the last. */
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
