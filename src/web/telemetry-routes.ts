import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../errors.ts'
import type { Intake } from '../ingest/intake.ts'
import type { IncomingBatch } from '../ingest/landing.ts'
import { allow, devicesOf, INGEST } from './access.ts'
import { resource } from './resource.ts'

/** `POST /v1/telemetry`: a batch as JSON or lines, answered 202 when its good events are durable. */
export function telemetryRoutes(app: FastifyInstance, intake: Intake, bodyLimitBytes: number): void {
  resource(app, '/v1/telemetry', {
    POST: allow(INGEST, async (request, reply) => {
      const batch = batchOf(request, await plainBody(request, bodyLimitBytes))
      const { landed, rejected, rejections } = await intake.accept({ ...batch, within: devicesOf(request) })
      return reply.code(202).send({ accepted: landed, rejected, rejections })
    }),
  })
}

function batchOf(request: FastifyRequest, bytes: Buffer): IncomingBatch {
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0].trim().toLowerCase()
  if (type === 'application/json' || type.endsWith('+json')) return { json: bytes }
  if (type === 'application/x-ndjson' || type === 'application/ndjson' || type === 'application/jsonl')
    return { ndjson: bytes }
  throw new CoolerError(
    'unsupported-media-type',
    `${type} is not read here: send application/json or application/x-ndjson`,
  )
}

async function plainBody(request: FastifyRequest, bodyLimitBytes: number): Promise<Buffer> {
  const { body } = request
  if (!Buffer.isBuffer(body)) throw new CoolerError('bad-request', 'the body is empty: send an array of events')
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new CoolerError('unsupported-media-type', `content-encoding ${encoding} is not read here: send gzip or none`)
  try {
    return await promisify(gunzip)(body, { maxOutputLength: bodyLimitBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new CoolerError(
        'body-too-large',
        `the body is larger than ${bodyLimitBytes} bytes when unpacked: send it in parts`,
      )
    }
    throw new CoolerError('bad-request', 'the body is not gzip', { cause: error })
  }
}
