import { isAscii } from 'node:buffer'

/**
 * Encodes a text, such as a device id, for the store. The encoding is CESU-8: each UTF-16 unit is encoded by itself. No
 * two texts have the same bytes, even with lone surrogates. The bytes sort as the UTF-16 units do, in the order of
 * report entries (RULES.md 5). ASCII stays readable.
 */
export function encodeText(text: string): Buffer {
  const utf8 = Buffer.from(text)
  // One byte a unit means that the text is all ASCII, for which UTF-8 and CESU-8 are the same.
  if (utf8.length === text.length) return utf8
  const bytes: number[] = []
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) bytes.push(unit)
    else if (unit < 0x800) bytes.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f))
    else bytes.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f))
  }
  return Buffer.from(bytes)
}

/** Returns the text that `encodeText` encoded as these bytes. */
export function decodeText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  const units: number[] = []
  for (let index = 0; index < bytes.length; ) {
    const lead = bytes[index++]
    if (lead < 0x80) units.push(lead)
    else if (lead < 0xe0) units.push(((lead & 0x1f) << 6) | (bytes[index++] & 0x3f))
    else units.push(((lead & 0x0f) << 12) | ((bytes[index++] & 0x3f) << 6) | (bytes[index++] & 0x3f))
  }
  return String.fromCharCode(...units)
}
