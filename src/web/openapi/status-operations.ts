import { REASONS } from '../../event/reasons.ts'
import { OPEN, READ_ALL } from '../api/access.ts'
import { READS_STORE } from './error-answers.ts'
import { json, type Operation } from './operation.ts'
import { count, instant, mapOf, number, object, type Schema, text } from './schema.ts'

const sinceMade = 'since the store was made'

export const STATUS = object('The state of the pipeline.', {
  queue: object(
    'Batches in the queue.',
    {
      waiting: count('Batches that wait for a worker.', 'batches', 0),
      active: count('Batches that a worker has in hand.', 'batches', 1),
      delayed: count('Batches that failed and will be tried again.', 'batches', 0),
      failed: count('Batches that failed too often, and are kept.', 'batches', 0),
    },
    { nullWhen: 'where there is no queue' },
  ),
  landed: count(`Events that have landed, ${sinceMade}.`, 'events', 52_810),
  erased: count(`Landed events that have been erased, ${sinceMade}.`, 'events', 0),
  rejected: count(`Events that were rejected, ${sinceMade}.`, 'events', 3),
  rejectsDropped: count('Of these, events that are not kept any more.', 'events', 0),
  rejectedByReason: mapOf(
    `Rejected events of each reason, ${sinceMade}; reasons without any are left out. Reasons: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
    count('Events of this reason.', 'events', 2),
    { 'out-of-range': 2, 'bad-at': 1 },
  ),
  devices: count('Registered devices.', 'devices', 120),
  dueSegments: count('Groups of landed events that no rollup has taken up yet.', 'groups', 0),
  dueDevices: count('Entries for devices whose days must be computed again.', 'entries', 0),
  lateDays: count('UTC days before today with events that no rollup has taken up yet.', 'days', 0),
  oldestDueAt: instant(
    'Of the oldest event that no rollup has taken up yet.',
    null,
    'where no rollup has anything to take up',
  ),
  lagSeconds: number('Time since the last rollup while something is due; 0 while nothing is.', {
    unit: 'seconds',
    minimum: 0,
    example: 0,
  }),
  lastCloseAt: instant(
    'Days that had closed by then are settled, as far as their events had come.',
    '2026-11-20T09:05:00.000Z',
    'before the first rollup',
  ),
  lastRollupAt: instant('When the last rollup was.', '2026-11-20T09:15:00.000Z', 'before the first'),
})

const said = (status: string): Schema =>
  object('A word.', { status: text(`Always \`${status}\`.`, { enum: [status], example: status }) })

export const STATUS_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/status',
    operationId: 'readStatus',
    tag: 'Service',
    summary: 'State of the pipeline',
    description: 'Queue, counters, what is due, and the last rollup.',
    access: READ_ALL,
    answers: { 200: { description: 'The state.', content: json(STATUS) } },
    errors: [...READS_STORE, 'store-full', 'queue-unavailable'],
  },
  {
    method: 'GET',
    path: '/metrics',
    operationId: 'readMetrics',
    tag: 'Service',
    summary: 'Metrics, for Prometheus',
    description:
      'Landing, rollups, what is due, the queue, the store and every answer, in the text format of Prometheus.',
    access: READ_ALL,
    answers: {
      200: {
        description: 'The metrics.',
        content: {
          'text/plain': {
            schema: {
              type: 'string',
              description: 'A sample a line.',
              examples: ['# TYPE cooler_devices gauge\ncooler_devices 120\n'],
            },
          },
        },
      },
    },
    errors: [],
  },
  {
    method: 'GET',
    path: '/healthz',
    operationId: 'isAlive',
    tag: 'Service',
    summary: 'Whether the process answers',
    description: 'Answers as long as the process does, whatever its store and queue do.',
    access: OPEN,
    answers: { 200: { description: 'It does.', content: json(said('ok')) } },
    errors: [],
  },
  {
    method: 'GET',
    path: '/readyz',
    operationId: 'isReady',
    tag: 'Service',
    summary: 'Whether store and queue answer',
    description: 'Asks store and queue, once a second at the most.',
    access: OPEN,
    answers: { 200: { description: 'They do.', content: json(said('ready')) } },
    errors: [...READS_STORE, 'store-full', 'queue-unavailable'],
  },
]
