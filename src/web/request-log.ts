import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'

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
