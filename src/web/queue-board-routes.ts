import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CoolerError } from '../errors.ts'
import { ADMIN_IN_BROWSER, allow } from './access.ts'
import { jsonObject } from './json-body.ts'
import { resource } from './resource.ts'

export interface BoardRequest {
  method: string
  /** Below /queues, decoded; of the board's own page `/`. */
  path: string
  query: Record<string, unknown>
  /** Empty where there is none. */
  body: Record<string, unknown>
}

export interface BoardAnswer {
  status: number
  type: string
  body: string | Buffer
}

/** A page on the queues, with what it is made of and what it asks for. */
export interface QueueBoard {
  /** Null where there is nothing at that path. */
  answer(request: BoardRequest): Promise<BoardAnswer | null>
  close(): Promise<void>
}

/** The page is not ours: it has styles in its markup. Its scripts are files, and nothing is from elsewhere. */
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

/** `/queues`, bull-board; `board` is null where there is no queue, and is opened when it is first asked for. */
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
  resource(app, '/queues', { GET: allow(ADMIN_IN_BROWSER, handler) })
  resource(app, '/queues/*', {
    GET: allow(ADMIN_IN_BROWSER, handler),
    PUT: allow(ADMIN_IN_BROWSER, handler),
    POST: allow(ADMIN_IN_BROWSER, handler),
    PATCH: allow(ADMIN_IN_BROWSER, handler),
  })
}
