import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A file of a page. */
export interface Asset {
  type: string
  /** The same bytes each time, so that they are compressed once. */
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

/** Sends a file, which is asked for anew each time and sent only where it has changed: a new version is seen at once. */
export function sendAsset(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { type, body, etag }: Asset,
  policy: string,
): FastifyReply {
  reply.headers({ 'content-security-policy': policy, 'cache-control': 'no-cache', etag })
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(type).send(body)
}

/** Returns a function that makes something when it is first asked for it, and gives the same from then on. */
export function onFirstUse<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => (made ??= make())
}

/** The path of what the build has put beside a module, also where the module itself was loaded from source. */
export const builtPath = (url: URL): string =>
  fileURLToPath(url).replace(/[/\\](?:dist[/\\])?src[/\\]web[/\\]/, '/dist/src/web/')
