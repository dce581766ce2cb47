import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { count, instant, mapOf, nullable, number } from '../../base/schema-fields.ts'
import { REASONS } from '../../event/reasons.ts'
import { OPEN, READ_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'

const SINCE_MADE = 'since the store was made'

const STATUS = Type.Object(
  {
    queue: nullable(
      Type.Object(
        {
          waiting: count('Batches that wait for a worker.', 'batches', 0),
          active: count('Batches that a worker has in hand.', 'batches', 1),
          delayed: count('Batches that failed and will be tried again.', 'batches', 0),
          failed: count('Batches that failed too often, and are kept.', 'batches', 0),
        },
        { description: 'Batches in the queue.' },
      ),
      'where there is no queue',
    ),
    landed: count(`Events that have landed, ${SINCE_MADE}.`, 'events', 52_810),
    erased: count(`Landed events that have been erased, ${SINCE_MADE}.`, 'events', 0),
    rejected: count(`Events that were rejected, ${SINCE_MADE}.`, 'events', 3),
    rejectsDropped: count('Of these, events that are not kept any more.', 'events', 0),
    rejectedByReason: mapOf(
      `Rejected events of each reason, ${SINCE_MADE}; reasons without any are left out. Reasons: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
      count('Events of this reason.', 'events', 2),
      { 'out-of-range': 2, 'bad-at': 1 },
    ),
    devices: count('Registered devices.', 'devices', 120),
    dueSegments: count('Groups of landed events that no rollup has taken up yet.', 'groups', 0),
    dueDevices: count('Entries for devices whose days must be computed again.', 'entries', 0),
    lateDays: count('UTC days before today with events that no rollup has taken up yet.', 'days', 0),
    oldestDueAt: nullable(
      instant('Of the oldest event that no rollup has taken up yet.', '2026-11-20T09:05:00.000Z'),
      'where no rollup has anything to take up',
      null,
    ),
    lagSeconds: number('Time since the last rollup while something is due; 0 while nothing is.', 'seconds', 0, {
      minimum: 0,
    }),
    lastCloseAt: nullable(
      instant('Days that had closed by then are settled, as far as their events had come.', '2026-11-20T09:05:00.000Z'),
      'before the first rollup',
    ),
    lastRollupAt: nullable(instant('When the last rollup was.', '2026-11-20T09:15:00.000Z'), 'before the first'),
  },
  { $id: 'Status', description: 'The state of the pipeline.' },
)

/** The state of the pipeline, as `GET /v1/status` tells it. */
export type Status = Static<typeof STATUS>

const READ_STATUS = {
  operationId: 'readStatus',
  tags: ['Service'],
  summary: 'State of the pipeline',
  description: 'Queue, counters, what is due, and the last rollup.',
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

/** `GET /v1/status`, `GET /healthz` (the process answers) and `GET /readyz` (`ready`: store and queue do their work). */
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

/** What is open to everybody must cost the same however often it is asked. */
function onceASecond<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; answer: Promise<Result> } | null = null
  return () => {
    const now = performance.now()
    if (last === null || now - last.at >= 1000) last = { at: now, answer: ask() }
    return last.answer
  }
}
