import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { CoolerError } from '../../base/errors.ts'
import { count, EXPECTED, instant, integer, nullable, oneOf, pageSize, text } from '../../base/schema-fields.ts'
import { formatInstant } from '../../base/time.ts'
import { REASONS } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { type ReplayParts, replayRejects } from '../../ingest/replay.ts'
import { ADMIN_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'

/** Rejected events of one page. */
const PAGE = { default: 100, most: 1000 } as const

const RAW = '{"deviceId":"CLR-1","at":"2026-11-20T09:05:00+01:00","type":"temperature","celsius":430}'
const WHY = 'Why it was rejected; where several reasons apply, the first of these.'

const idOf = (description: string) =>
  integer(description, 'none', 17, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, [EXPECTED]: 'an id' })

const REJECT = Type.Object(
  {
    id: idOf('Its number, from 1: a later one is greater.'),
    reason: oneOf(WHY, REASONS, 'out-of-range'),
    raw: text('Its text as it came, cut where it is very long.', RAW),
    rawBytes: count('Length of the whole text in UTF-8.', 'bytes', RAW.length),
    rejectedAt: instant('When it was rejected.', '2026-11-20T08:05:01.250Z'),
  },
  { $id: 'Reject', description: 'A rejected event as it is kept.' },
)

const REJECTS = Type.Object(
  {
    rejects: Type.Array(REJECT, { description: 'Newest first.' }),
    next: nullable(idOf('`before` of the next page.'), 'on the last page'),
  },
  { $id: 'Rejects', description: 'A page of rejected events.' },
)

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

const REPLAYED = Type.Object(
  {
    accepted: count('Events that are rejected no more.', 'events', 2),
    rejected: count('Events that were rejected once more.', 'events', 1),
    rejections: Type.Array(
      Type.Object(
        { id: idOf('The id that it had.'), reason: oneOf('Why it was rejected this time.', REASONS, 'out-of-range') },
        { description: 'One of them.' },
      ),
      { description: 'The first 100 of these.' },
    ),
    left: count('Events left as they are: their whole text is not kept.', 'events', 0),
    next: nullable(idOf('`before` of the next call.'), 'where there are no more', null),
  },
  { $id: 'Replayed', description: 'What became of rejected events that were given to the intake again.' },
)

const LIST = {
  operationId: 'listRejects',
  tags: ['Telemetry'],
  summary: 'Rejected events',
  description: 'Rejected events with their reasons, newest first, in pages. The latest `COOLER_REJECTS_KEPT` are kept.',
  access: ADMIN_ALL,
  querystring: Type.Object({
    limit: pageSize('events', PAGE),
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
 * `GET /v1/rejects`: rejected events, newest first, pages by `before`, of one `reason` or all. `POST /v1/rejects/replay`
 * gives some to the intake again.
 */
export function rejectRoutes(app: FastifyInstance, parts: ReplayParts): void {
  resource(app, '/v1/rejects', {
    GET: call(LIST, async ({ query: { limit = PAGE.default, before, reason } }) => {
      const rejects = await parts.rejects.page({ limit, before, reason })
      return {
        rejects: rejects.map(({ rejectedAt, ...reject }) => ({ ...reject, rejectedAt: formatInstant(rejectedAt) })),
        next: rejects.length === limit ? rejects[rejects.length - 1].id : null,
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
