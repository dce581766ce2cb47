import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type ApiKey, hashOf } from '../../config/api-keys.ts'

/** RFC 6750: the scheme, in any case, then the key. */
const BEARER = /^bearer +(\S+)$/i
/** Form of a key. A shorter one has fewer than 128 random bits; so passwords that can be guessed are never accepted. */
const KEY = /^[A-Za-z0-9._~+/-]{22,256}={0,2}$/

/** RFC 7617: a name and a password in base64; the password is the key. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i

/**
 * Returns the key that a request presents, or null. `X-API-Key` takes precedence over `Authorization`. A password
 * counts only if `inBrowser`, because a browser sends it along with any site's requests.
 */
export function presentedKey(
  { authorization = '', 'x-api-key': own }: IncomingHttpHeaders,
  inBrowser = false,
): string | null {
  if (own !== undefined) return String(own)
  const password = inBrowser ? BASIC.exec(authorization)?.[1] : undefined
  if (password !== undefined) return /:(.*)$/s.exec(Buffer.from(password, 'base64').toString('utf8'))?.[1] ?? null
  return BEARER.exec(authorization)?.[1] ?? null
}

/**
 * Returns the configured key that `presented` is, or null. Its hash is compared with that of every key in constant
 * time, so that the time taken reveals neither which key matched nor how much of a key is right.
 */
export function keyOf(presented: string, keys: readonly ApiKey[]): ApiKey | null {
  if (!KEY.test(presented)) return null
  const hash = hashOf(presented)
  let found: ApiKey | null = null
  for (const key of keys) if (timingSafeEqual(key.hash, hash)) found = key
  return found
}
