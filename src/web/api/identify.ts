import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type ApiKey, hashOf } from '../../config/api-keys.ts'

/** RFC 6750: the scheme in any case, then a key of these characters. */
const BEARER = /^bearer +(\S+)$/i
/** A shorter one is no random key of 128 bits or more: nobody shall come in with a password that can be guessed. */
const KEY = /^[A-Za-z0-9._~+/-]{22,256}={0,2}$/

/** RFC 7617: a name and a password, of which the password is the key. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i

/**
 * The key that a request names, as text; null where it names none. `X-API-Key` comes before `Authorization`. As a
 * password it counts only `inBrowser`: a browser sends that along whoever asks.
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
 * The configured key that this is; null where it is none. It takes as long whichever it is and however much of one it
 * has right: its hash is compared with that of every key, each in constant time.
 */
export function keyOf(presented: string, keys: readonly ApiKey[]): ApiKey | null {
  if (!KEY.test(presented)) return null
  const hash = hashOf(presented)
  let found: ApiKey | null = null
  for (const key of keys) if (timingSafeEqual(key.hash, hash)) found = key
  return found
}
