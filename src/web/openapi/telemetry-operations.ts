import { REASONS } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { MAX_REJECTIONS } from '../../ingest/landing-result.ts'
import { INGEST } from '../api/access.ts'
import { WRITES_STORE } from './error-answers.ts'
import { EVENT } from './event.ts'
import { json, type Operation } from './operation.ts'
import { count, list, object, oneOf, type Schema } from './schema.ts'

const DEVICE = 'CLR-1'
const EXAMPLE_EVENTS = [
  {
    deviceId: DEVICE,
    at: '2026-11-20T08:00:00+01:00',
    type: 'placement',
    lat: 52.52,
    lon: 13.405,
    timezone: 'Europe/Berlin',
  },
  { deviceId: DEVICE, at: '2026-11-20T09:00:00+01:00', type: 'power', on: true },
  { deviceId: DEVICE, at: '2026-11-20T09:05:00+01:00', type: 'temperature', celsius: 3.4, setpoint: 4 },
  { deviceId: DEVICE, at: '2026-11-20T09:06:00+01:00', type: 'door', count: 6 },
  { deviceId: DEVICE, at: '2026-11-20T09:07:00+01:00', type: 'gps', lat: 52.5201, lon: 13.4051, accuracy: 8 },
  { deviceId: DEVICE, at: 1_795_162_080_000, type: 'visitor', count: 3, seq: 7 },
]

const events = list(`At most ${MAX_BATCH_EVENTS} events.`, EVENT, { maxItems: MAX_BATCH_EVENTS })

const BATCH: Schema = {
  description: `A batch of at most ${MAX_BATCH_EVENTS} events.`,
  oneOf: [
    { ...events, title: 'array' },
    { ...object('The same as an object; other fields are ignored.', { events }), title: 'object' },
  ],
}

const LINES: Schema = {
  type: 'string',
  description: 'One event as JSON on each line; blank lines are passed over.',
  examples: [EXAMPLE_EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('')],
}

export const LANDED = object('What became of a batch.', {
  accepted: count('Events that are durable: landed, or in the queue.', 'events', 5),
  rejected: count('Events that were rejected.', 'events', 1),
  rejections: list(
    `The first ${MAX_REJECTIONS} rejected events.`,
    object('A rejected event.', {
      index: count('Its place in the batch, from 0; blank lines do not count.', 'events before it', 2),
      reason: oneOf('Why it was rejected; where several reasons apply, the first of these.', REASONS, 'out-of-range'),
    }),
    { maxItems: MAX_REJECTIONS },
  ),
})

export const TELEMETRY_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/telemetry',
    operationId: 'sendTelemetry',
    tag: 'Telemetry',
    summary: 'Send events',
    description:
      'Takes a batch of events. A bad event is rejected alone and kept, the others land. The answer comes when they are durable. The same event counts once, however often it is sent: after an error of status 503, or none, send the batch again. A key that is limited to some devices sends their events only: else the batch is refused whole.',
    access: INGEST,
    body: {
      description: 'Unknown fields of an event are ignored. With `Content-Encoding: gzip` the body is unpacked.',
      content: {
        ...json(BATCH, {
          array: { summary: 'Events of every type', value: EXAMPLE_EVENTS },
          object: { summary: 'As an object', value: { events: EXAMPLE_EVENTS.slice(1, 2) } },
        }),
        'application/x-ndjson': { schema: LINES },
      },
    },
    answers: { 202: { description: 'The good events are durable.', content: json(LANDED) } },
    errors: ['batch-too-long', 'unsupported-media-type', ...WRITES_STORE, 'queue-full', 'queue-unavailable'],
  },
]
