import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { ParsingCost } from '../../base/parsing-cost.ts'
import { count, oneOf } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import { REASONS } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import type { Intake } from '../../ingest/intake.ts'
import type { IncomingBatch } from '../../ingest/landing.ts'
import { MAX_REJECTIONS } from '../../ingest/landing-result.ts'
import { MOST_BATCH_COST, tooLong } from '../../ingest/read-batch.ts'
import { devicesOf, INGEST } from './access.ts'
import type { BytesInHand } from './bytes-in-hand.ts'
import { call, resource, type Statement } from './call.ts'
import { WRITES_STORE } from './error-answers.ts'
import { EVENT } from './schema/event.ts'

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

const AT_MOST = { description: `At most ${MAX_BATCH_EVENTS} events.`, maxItems: MAX_BATCH_EVENTS }

/** A batch. The intake checks it event by event (event/check-event.ts). */
const BATCH = Type.Unsafe<unknown>({
  description: `A batch of at most ${MAX_BATCH_EVENTS} events.`,
  oneOf: [
    Type.Array(EVENT, { ...AT_MOST, title: 'array' }),
    Type.Object(
      { events: Type.Array(EVENT, AT_MOST) },
      { description: 'The same as an object; other fields are ignored.', title: 'object' },
    ),
  ],
  'x-examples': {
    array: { summary: 'Events of every type', value: EXAMPLE_EVENTS },
    object: { summary: 'As an object', value: { events: EXAMPLE_EVENTS.slice(1, 2) } },
  },
})

const LINES = Type.String({
  description: 'One event as JSON on each line; blank lines are passed over.',
  examples: [EXAMPLE_EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('')],
})

const LANDED = Type.Object(
  {
    accepted: count('Events that are durable: landed, or in the queue.', 'events', 5),
    rejected: count('Events that were rejected.', 'events', 1),
    rejections: Type.Array(
      Type.Object(
        {
          index: count('Its place in the batch, from 0; blank lines do not count.', 'events before it', 2),
          reason: oneOf(
            'Why it was rejected; where several reasons apply, the first of these.',
            REASONS,
            'out-of-range',
          ),
        },
        { description: 'A rejected event.' },
      ),
      { description: `The first ${MAX_REJECTIONS} rejected events.`, maxItems: MAX_REJECTIONS },
    ),
  },
  { $id: 'Landed', description: 'What became of a batch: the good events are durable.' },
)

const SEND = {
  operationId: 'sendTelemetry',
  tags: ['Telemetry'],
  summary: 'Send events',
  description:
    'Takes a batch of events. A bad event is rejected alone and kept, the others land. The answer comes when they are durable. The same event counts once, however often it is sent: after an error of status 503, or none, send the batch again. A key that is limited to some devices sends their events only: else the batch is refused whole. Unknown fields of an event are ignored. With `Content-Encoding: gzip` the body is unpacked.',
  access: INGEST,
  body: {
    content: { 'application/json': { schema: BATCH }, 'application/x-ndjson': { schema: LINES } },
  },
  response: { 202: LANDED },
  errors: ['batch-too-long', 'unsupported-media-type', ...WRITES_STORE, 'queue-full', 'queue-unavailable'],
} as const satisfies Statement

/** `POST /v1/telemetry`: a batch as JSON or lines, answered 202 when its good events are durable. */
export function telemetryRoutes(app: FastifyInstance, intake: Intake, limits: TelemetryLimits): void {
  const POST = call(SEND, async (request, reply) => {
    const batch = batchOf(request, await plainBody(request, limits))
    const { landed, rejected, rejections } = await intake.accept({ ...batch, within: devicesOf(request) })
    reply.code(202)
    return { accepted: landed, rejected, rejections }
  })
  resource(app, '/v1/telemetry', { POST }, { bodyLimit: limits.bodyLimit })
}

interface TelemetryLimits {
  inHand: BytesInHand
  /** Most bytes of a body, before and after unpacking. */
  bodyLimit: number
}

function batchOf(request: Pick<FastifyRequest, 'headers'>, bytes: Buffer): IncomingBatch {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0].trim().toLowerCase()
  if (type === 'application/json' || type.endsWith('+json')) return { json: bytes }
  if (type === 'application/x-ndjson' || type === 'application/ndjson' || type === 'application/jsonl')
    return { ndjson: bytes }
  throw new CoolerError(
    'unsupported-media-type',
    `${type} is not read here: send application/json or application/x-ndjson`,
  )
}

async function plainBody(request: FastifyRequest, { inHand, bodyLimit }: TelemetryLimits): Promise<Buffer> {
  const { body } = request
  if (!Buffer.isBuffer(body)) throw new CoolerError('bad-request', 'the body is empty: send an array of events')
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new CoolerError('unsupported-media-type', `content-encoding ${encoding} is not read here: send gzip or none`)
  return unpacked(body, bodyLimit, (bytes) => inHand.take(request, bytes))
}

/** Unpacks piece by piece, and stops as soon as the result is too large or would cost too much to parse. */
async function unpacked(packed: Buffer, limit: number, onBytes: (bytes: number) => void): Promise<Buffer> {
  const pieces: Buffer[] = []
  const cost = new ParsingCost(MOST_BATCH_COST)
  let bytes = 0
  const unzip = createGunzip({ chunkSize: PIECE_BYTES })
  unzip.end(packed)
  try {
    for await (const piece of unzip) {
      bytes += piece.length
      if (bytes > limit)
        throw new CoolerError(
          'body-too-large',
          `the body is larger than ${limit} bytes when unpacked: send it in parts`,
        )
      onBytes(piece.length)
      if (!cost.add(piece)) throw tooLong()
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof CoolerError) throw error
    throw new CoolerError('bad-request', 'the body is not gzip', { cause: error })
  }
  return Buffer.concat(pieces, bytes)
}

const PIECE_BYTES = 64 * 1024
