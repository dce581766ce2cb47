import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import type { QueueBoard } from '../../queue/board.ts'
import { ADMIN_IN_BROWSER } from './access.ts'
import { resource, unlisted } from './call.ts'
import { jsonObject } from './json-body.ts'

/** bull-board has styles in its markup. Its scripts are files, and nothing is loaded from elsewhere. */
const BOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `/queues`: bull-board. `board` is null if there is no queue; otherwise it is opened on the first request. */
export function queueBoardRoutes(app: FastifyInstance, board: (() => Promise<QueueBoard>) | null): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (board === null) throw new CoolerError('not-found', 'there is no queue: set REDIS_URL')
    const { '*': below = '' } = request.params as { '*'?: string }
    const { method, query, body } = request
    const answer = await (await board()).answer({
      method,
      path: `/${below}`,
      query: query as Record<string, unknown>,
      body: Buffer.isBuffer(body) && body.length > 0 ? jsonObject(body) : {},
    })
    if (answer === null) throw new CoolerError('not-found', `no such path: ${method} ${request.url.slice(0, 200)}`)
    return reply.code(answer.status).header('content-security-policy', BOARD_POLICY).type(answer.type).send(answer.body)
  }
  resource(app, '/queues', { GET: unlisted(ADMIN_IN_BROWSER, handler) })
  resource(app, '/queues/*', {
    GET: unlisted(ADMIN_IN_BROWSER, handler),
    PUT: unlisted(ADMIN_IN_BROWSER, handler),
    POST: unlisted(ADMIN_IN_BROWSER, handler),
    PATCH: unlisted(ADMIN_IN_BROWSER, handler),
  })
}
