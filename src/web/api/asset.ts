import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file of a page. */
export interface Asset {
  type: string
  /** The same bytes each time, so that they are compressed only once. */
  body: Buffer
  etag: string
}

export const SCRIPT = 'text/javascript; charset=utf-8'
export const PAGE = 'text/html; charset=utf-8'

/** Makes a file of a page. */
export const makeAsset = (type: string, body: string | Buffer): Asset => ({
  type,
  body: Buffer.from(body),
  etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
})

/** Caching of a file whose name tells its content. */
export const KEPT = 'public, max-age=31536000, immutable'

/**
 * Sends a file. Unless it is to be kept, browsers revalidate it each time and load it only if it changed, so that a new
 * version shows at once.
 */
export function sendAsset(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { type, body, etag }: Asset,
  policy: string,
  caching = 'no-cache',
): FastifyReply {
  reply.headers({ 'content-security-policy': policy, 'cache-control': caching, etag })
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(type).send(body)
}

/** Returns a function that makes a value on its first call and returns the same value afterwards. */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}
