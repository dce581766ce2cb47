import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BROTLI_QUALITY, ENCODINGS, type Encoding, packed } from '../../base/packed.ts'
import { weightOf } from './report-format.ts'

/** Answers up to this size are sent uncompressed, because little would be gained. */
const LEAST_BYTES = 1024

/** Text formats. XLSX and Parquet files are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|javascript|openmetrics-text)|[^;]+\+(json|xml))/i

/** Compresses answers over 1 KiB with an encoding that the request accepts, off the event loop. */
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
 * Returns the encoding for an answer of `bytes` bytes, or null for no compression. Sets the headers that go with it:
 * caches must know that answers differ by encoding.
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

/** Returns the named encoding with the greatest weight (RFC 9110 12.5.3); null if none is accepted or preferred. */
function acceptedEncoding(header: string): Encoding | null {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  let best: Encoding | null = null
  let most = weights.get('identity') ?? 0
  if (most === 1) most = 0 // Many clients list identity as acceptable, without preferring it.
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

/** Returns the bytes of a payload: Infinity for a stream, whose length is unknown; null for nothing to compress. */
function bytesOf(payload: unknown): number | null {
  if (typeof payload === 'string') {
    // A text has at most three bytes a UTF-16 unit, so short ones need not be measured.
    return payload.length * 3 <= LEAST_BYTES ? null : Buffer.byteLength(payload)
  }
  if (Buffer.isBuffer(payload)) return payload.length
  return isStream(payload) ? Infinity : null
}

/** Returns a stream of the compressed source. Destroying it ends the source. */
function packedStream(source: Readable, encoding: Encoding): Readable {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  const packing = encoding === 'gzip' ? createGzip() : createBrotliCompress({ params })
  return pipeline(source, packing, () => {}) // An error destroys the returned stream, which tells its reader.
}
