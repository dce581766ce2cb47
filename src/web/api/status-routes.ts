import type { FastifyInstance } from 'fastify'
import { type Static, Type } from '../../base/typebox.ts'
import { OPEN, READ_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { STATUS } from './schema/status.ts'

/** The state of the pipeline, as `GET /v1/status` answers it. */
export type Status = Static<typeof STATUS>

const READ_STATUS = {
  operationId: 'readStatus',
  tags: ['Service'],
  summary: 'State of the pipeline',
  description: 'Queue, counters, what is due, the last rollup, and the state of the database server.',
  access: READ_ALL,
  response: { 200: STATUS },
  errors: [...READS_STORE, 'store-full', 'queue-unavailable'],
} as const satisfies Statement

const word = <const Word extends string>(status: Word, description: string) =>
  Type.Object(
    { status: Type.Literal(status, { description: `Always \`${status}\`.`, examples: [status] }) },
    { description },
  )

const IS_ALIVE = {
  operationId: 'isAlive',
  tags: ['Service'],
  summary: 'Whether the process answers',
  description: 'Answers as long as the process does, whatever its store and queue do.',
  access: OPEN,
  response: { 200: word('ok', 'The process answers.') },
  errors: [],
} as const satisfies Statement

const IS_READY = {
  operationId: 'isReady',
  tags: ['Service'],
  summary: 'Whether store and queue answer',
  description: 'Asks store and queue, once a second at the most.',
  access: OPEN,
  response: { 200: word('ready', 'Store and queue answer.') },
  errors: [...READS_STORE, 'store-full', 'queue-unavailable'],
} as const satisfies Statement

/** `GET /v1/status`, `GET /healthz` (the process answers) and `GET /readyz` (`ready`: store and queue work). */
export function statusRoutes(app: FastifyInstance, status: () => Promise<Status>, ready: () => Promise<unknown>): void {
  resource(app, '/v1/status', { GET: call(READ_STATUS, status) })
  resource(app, '/healthz', { GET: call(IS_ALIVE, async () => ({ status: 'ok' as const })) })
  const look = onceASecond(ready)
  resource(app, '/readyz', {
    GET: call(IS_READY, async () => {
      await look()
      return { status: 'ready' as const }
    }),
  })
}

/** Limits calls to one a second, because an open route must cost the same however often it is called. */
function onceASecond<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; answer: Promise<Result> } | null = null
  return () => {
    const now = performance.now()
    if (last === null || now - last.at >= 1000) last = { at: now, answer: ask() }
    return last.answer
  }
}
