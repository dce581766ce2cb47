import { REASONS } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { ADMIN_ALL } from '../api/access.ts'
import { PAGE } from '../api/reject-routes.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { json, limitParameter, type Operation } from './operation.ts'
import { count, instant, integer, list, object, oneOf, type Schema, text } from './schema.ts'

const RAW = '{"deviceId":"CLR-1","at":"2026-11-20T09:05:00+01:00","type":"temperature","celsius":430}'

export const REJECT = object('A rejected event as it is kept.', {
  id: integer('Its number, from 1: a later one is greater.', { unit: 'none', minimum: 1, example: 17 }),
  reason: oneOf('Why it was rejected; where several reasons apply, the first of these.', REASONS, 'out-of-range'),
  raw: text('Its text as it came, cut where it is very long.', { example: RAW }),
  rawBytes: count('Length of the whole text in UTF-8.', 'bytes', RAW.length),
  rejectedAt: instant('When it was rejected.', '2026-11-20T08:05:01.250Z'),
})

export const REJECTS = object('A page of rejected events.', {
  rejects: list('Newest first.', REJECT),
  next: integer('`before` of the next page.', { unit: 'none', minimum: 1, nullWhen: 'on the last page', example: 17 }),
})

const id = (meaning: string): Schema => integer(meaning, { unit: 'none', minimum: 1, example: 17 })

const REPLAY = object(
  'Which rejected events.',
  {
    ids: list('Those of these ids.', id('An id.'), { maxItems: MAX_BATCH_EVENTS, example: [17, 18] }),
    reason: oneOf('All of this reason.', REASONS, 'at-in-future'),
    before: id('Only events with a smaller id: `next` of the call before.'),
  },
  { optional: ['ids', 'reason', 'before'] },
)

export const REPLAYED = object('What became of rejected events that were given to the intake again.', {
  accepted: count('Events that are rejected no more.', 'events', 2),
  rejected: count('Events that were rejected once more.', 'events', 1),
  rejections: list(
    'The first 100 of these.',
    object('One of them.', {
      id: id('The id that it had.'),
      reason: oneOf('Why it was rejected this time.', REASONS, 'out-of-range'),
    }),
  ),
  left: count('Events left as they are: their whole text is not kept.', 'events', 0),
  next: integer('`before` of the next call.', {
    unit: 'none',
    minimum: 1,
    nullWhen: 'where there are no more',
    example: null,
  }),
})

export const REJECT_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/rejects',
    operationId: 'listRejects',
    tag: 'Telemetry',
    summary: 'Rejected events',
    description:
      'Rejected events with their reasons, newest first, in pages. The latest `COOLER_REJECTS_KEPT` are kept.',
    access: ADMIN_ALL,
    parameters: [
      limitParameter('events', PAGE),
      {
        name: 'before',
        in: 'query',
        description: 'Only events with a smaller id: `next` of the page before. Unit: none.',
        schema: { type: 'integer', examples: [17] },
      },
      {
        name: 'reason',
        in: 'query',
        description: 'Only events that were rejected for this reason.',
        schema: { type: 'string', enum: REASONS, examples: ['out-of-range'] },
      },
    ],
    answers: { 200: { description: 'The page.', content: json(REJECTS) } },
    errors: READS_STORE,
  },
  {
    method: 'POST',
    path: '/v1/rejects/replay',
    operationId: 'replayRejects',
    tag: 'Telemetry',
    summary: 'Lands rejected events again',
    description: `Gives rejected events to the intake again, newest first, at most ${MAX_BATCH_EVENTS} a call: what is good by now lands, the rest is kept anew under new ids. Which, \`ids\` or \`reason\` says, one of the two.`,
    access: ADMIN_ALL,
    body: {
      description: 'Which rejected events.',
      content: json(REPLAY, {
        reason: { summary: 'All of one reason', value: { reason: 'at-in-future' } },
        ids: { summary: 'Some', value: { ids: [17, 18] } },
      }),
    },
    answers: { 202: { description: 'What became of them.', content: json(REPLAYED) } },
    errors: [...WRITES_STORE, 'unsupported-media-type', 'queue-full', 'queue-unavailable'],
  },
]
