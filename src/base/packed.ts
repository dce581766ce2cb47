import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Compressions of an answer, as Content-Encoding names them. If a client accepts two equally, the first is used. */
export const ENCODINGS = ['gzip', 'br'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Output is as small as gzip's at its default level, or slightly smaller. Higher levels take many times as long. */
export const BROTLI_QUALITY = 5

const packings = new WeakMap<Uint8Array, Map<Encoding, Promise<Buffer>>>()

/**
 * Compresses bytes off the event loop. Each array is compressed once per encoding, and the result is cached for as long
 * as the array lives. The array must therefore not be changed afterwards.
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
