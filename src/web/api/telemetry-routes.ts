import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { ParsingCost } from '../../base/parsing-cost.ts'
import type { Intake } from '../../ingest/intake.ts'
import type { IncomingBatch } from '../../ingest/landing.ts'
import { MOST_BATCH_COST, tooLong } from '../../ingest/read-batch.ts'
import { allow, devicesOf, INGEST } from './access.ts'
import type { BytesInHand } from './bytes-in-hand.ts'
import { resource } from './resource.ts'

/** `POST /v1/telemetry`: a batch as JSON or lines, answered 202 when its good events are durable. */
export function telemetryRoutes(app: FastifyInstance, intake: Intake, limits: TelemetryLimits): void {
  const POST = allow(INGEST, async (request, reply) => {
    const batch = batchOf(request, await plainBody(request, limits))
    const { landed, rejected, rejections } = await intake.accept({ ...batch, within: devicesOf(request) })
    return reply.code(202).send({ accepted: landed, rejected, rejections })
  })
  resource(app, '/v1/telemetry', { POST }, { bodyLimit: limits.bodyLimit })
}

interface TelemetryLimits {
  inHand: BytesInHand
  /** Most bytes of a body, before and after unpacking. */
  bodyLimit: number
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

async function plainBody(request: FastifyRequest, { inHand, bodyLimit }: TelemetryLimits): Promise<Buffer> {
  const { body } = request
  if (!Buffer.isBuffer(body)) throw new CoolerError('bad-request', 'the body is empty: send an array of events')
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return body
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new CoolerError('unsupported-media-type', `content-encoding ${encoding} is not read here: send gzip or none`)
  return unpacked(body, bodyLimit, (bytes) => inHand.take(request, bytes))
}

/** Unpacks piece by piece: what takes too much room, or would be too much to parse, is not unpacked to its end. */
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
