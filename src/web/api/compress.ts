import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BROTLI_QUALITY, ENCODINGS, type Encoding, packed } from '../../base/packed.ts'
import { weightOf } from './report-format.ts'

/** Shorter answers are sent as they are: little would be gained. */
const LEAST_BYTES = 1024

/** What is text; XLSX and Parquet files are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|openmetrics-text)|[^;]+\+(json|xml))/i

/** Compresses answers over 1 KiB as their requests accept it, off the event loop. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(payload)
    if (bytes === null || reply.hasHeader('content-encoding') || !COMPRESSIBLE.test(typeOf(reply))) return done()
    const encoding = encodingOf(request, reply, bytes)
    if (encoding === null) return done()
    if (isStream(payload)) return done(null, packedStream(payload, encoding))
    packed(Buffer.isBuffer(payload) ? payload : Buffer.from(payload as string), encoding).then(
      (form) => done(null, form),
      (error) => done(error),
    )
  })
}

/**
 * How an answer of so many bytes is to be compressed; null for not at all. Sets the headers that go with it: whatever
 * keeps answers must know that they differ.
 */
export function encodingOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  bytes: number,
): Encoding | null {
  if (bytes <= LEAST_BYTES) return null
  reply.header('vary', 'accept-encoding')
  const accepted = headers['accept-encoding']
  const encoding = accepted === undefined ? null : acceptedEncoding(String(accepted))
  if (encoding !== null) reply.header('content-encoding', encoding)
  return encoding
}

/** The named encoding with the greatest weight (RFC 9110 12.5.3); null where none is accepted, or none at all is preferred. */
function acceptedEncoding(header: string): Encoding | null {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  let best: Encoding | null = null
  let most = weights.get('identity') ?? 0
  if (most === 1) most = 0 // Named as acceptable, as many clients do, not as better.
  for (const encoding of ENCODINGS) {
    const weight = weights.get(encoding) ?? 0
    if (weight > most) {
      best = encoding
      most = weight
    }
  }
  return best
}

const typeOf = (reply: FastifyReply): string => String(reply.getHeader('content-type') ?? '')

const isStream = (payload: unknown): payload is Readable =>
  typeof payload === 'object' && payload !== null && 'pipe' in payload

/** Of a stream nobody knows: it is long. Null of what has no bytes. */
function bytesOf(payload: unknown): number | null {
  if (typeof payload === 'string') {
    // No text has more than three bytes a unit: the short ones need not be measured.
    return payload.length * 3 <= LEAST_BYTES ? null : Buffer.byteLength(payload)
  }
  if (Buffer.isBuffer(payload)) return payload.length
  return isStream(payload) ? Infinity : null
}

/** Compresses what comes, piece by piece; whoever gives up the outcome ends the source. */
function packedStream(source: Readable, encoding: Encoding): Readable {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  const packing = encoding === 'gzip' ? createGzip() : createBrotliCompress({ params })
  return pipeline(source, packing, () => {}) // An error has destroyed the outcome, which is how its reader hears of it.
}
