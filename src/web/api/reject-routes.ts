import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { oneOf, PAGE, pageSize } from '../../base/schema-fields.ts'
import { formatInstant } from '../../base/time.ts'
import { Type } from '../../base/typebox.ts'
import { REASONS } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { type ReplayParts, replayRejects } from '../../ingest/replay.ts'
import { ADMIN_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { idOf, REJECTS, REPLAYED } from './schema/reject.ts'

const REPLAY = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(idOf('An id.'), {
        description: 'Those of these ids.',
        maxItems: MAX_BATCH_EVENTS,
        examples: [[17, 18]],
      }),
    ),
    reason: Type.Optional(oneOf('All of this reason.', REASONS, 'at-in-future')),
    before: Type.Optional(idOf('Only events with a smaller id: `next` of the call before.')),
  },
  {
    description: 'Which rejected events.',
    'x-examples': {
      reason: { summary: 'All of one reason', value: { reason: 'at-in-future' } },
      ids: { summary: 'Some', value: { ids: [17, 18] } },
    },
  },
)

const LIST = {
  operationId: 'listRejects',
  tags: ['Telemetry'],
  summary: 'Rejected events',
  description: 'Rejected events with their reasons, newest first, in pages. The latest `COOLER_REJECTS_KEPT` are kept.',
  access: ADMIN_ALL,
  querystring: Type.Object({
    limit: pageSize('events'),
    before: Type.Optional(idOf('Only events with a smaller id: `next` of the page before.')),
    reason: Type.Optional(oneOf('Only events that were rejected for this reason.', REASONS, 'out-of-range')),
  }),
  response: { 200: REJECTS },
  errors: READS_STORE,
} as const satisfies Statement

const REPLAY_SOME = {
  operationId: 'replayRejects',
  tags: ['Telemetry'],
  summary: 'Lands rejected events again',
  description: `Gives rejected events to the intake again, newest first, at most ${MAX_BATCH_EVENTS} a call: what is good by now lands, the rest is kept anew under new ids. Which, \`ids\` or \`reason\` says, one of the two.`,
  access: ADMIN_ALL,
  body: REPLAY,
  response: { 202: REPLAYED },
  errors: [...WRITES_STORE, 'unsupported-media-type', 'queue-full', 'queue-unavailable'],
} as const satisfies Statement

/**
 * `GET /v1/rejects` lists rejected events, newest first, in pages by `before`, for one `reason` or all.
 * `POST /v1/rejects/replay` gives some of them to the intake again.
 */
export function rejectRoutes(app: FastifyInstance, parts: ReplayParts): void {
  resource(app, '/v1/rejects', {
    GET: call(LIST, async ({ query: { limit = PAGE.default, before, reason } }) => {
      const found = await parts.rejects.page({ limit: limit + 1, before, reason })
      const rejects = found.slice(0, limit)
      return {
        rejects: rejects.map(({ rejectedAt, ...reject }) => ({ ...reject, rejectedAt: formatInstant(rejectedAt) })),
        byReason: await parts.rejects.counts(),
        next: found.length > limit ? rejects[rejects.length - 1].id : null,
      }
    }),
  })
  resource(app, '/v1/rejects/replay', {
    POST: call(REPLAY_SOME, async ({ body: { ids, reason, before } }, reply) => {
      if ((ids === undefined) === (reason === undefined))
        throw new CoolerError('bad-request', 'ids or reason must say which rejected events, one of the two')
      reply.code(202)
      return replayRejects(parts, { ids, reason, before })
    }),
  })
}
