import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Ways to compress an answer, as Content-Encoding names them; of two that are as welcome the first is taken. */
export const ENCODINGS = ['gzip', 'br'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** As small as gzip makes it with its usual level, or a little smaller; more takes many times as long. */
export const BROTLI_QUALITY = 5

const packings = new WeakMap<Uint8Array, Map<Encoding, Promise<Buffer>>>()

/**
 * Compresses bytes, off the event loop. The same array is compressed once, and its compressed forms are kept for as long
 * as itself: it must not be changed any more.
 */
export function packed(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  let forms = packings.get(bytes)
  if (forms === undefined) packings.set(bytes, (forms = new Map()))
  let form = forms.get(encoding)
  if (form === undefined) forms.set(encoding, (form = pack(bytes, encoding)))
  return form
}

function pack(bytes: Uint8Array, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return promisify(brotliCompress)(bytes, { params })
}
