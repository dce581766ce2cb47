import { REASONS } from '../../ingest/reasons.ts'
import { ADMIN_ALL } from '../access.ts'
import { PAGE } from '../reject-routes.ts'
import { READS_STORE } from './error-answers.ts'
import { json, limitParameter, type Operation } from './operation.ts'
import { count, instant, integer, list, object, oneOf, text } from './schema.ts'

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
    ],
    answers: { 200: { description: 'The page.', content: json(REJECTS) } },
    errors: READS_STORE,
  },
]
