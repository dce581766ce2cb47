import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type BodyPlace, checksum32, codecVersion, damaged, seal, unseal } from '../../base/checksum.ts'
import { CoolerError } from '../../base/errors.ts'

/** No message is larger; a damaged one must not take all memory. */
const MOST_BYTES = 64 * 1024 * 1024

const VERSION = Buffer.of(1)

const placeOf = (id: string): BodyPlace => [checksum32(Buffer.from(id))]

/** Encodes the JSON of a message as it is stored: the version, and the text, deflated. */
export const encodeMessage = (json: string, id: string): Buffer =>
  seal(Buffer.concat([VERSION, deflateRawSync(json)]), placeOf(id))

/** Decodes what encodeMessage has encoded. @throws CoolerError `store-damaged` */
export function decodeMessage(stored: Buffer, id: string): string {
  try {
    const body = unseal(stored, placeOf(id))
    if (stored.length === body.length || codecVersion(body) !== VERSION[0]) throw damaged('it has no checksum')
    return inflateRawSync(body.subarray(1), { maxOutputLength: MOST_BYTES }).toString('utf8')
  } catch (error) {
    throw new CoolerError('store-damaged', `the body of message ${id} cannot be read`, { cause: error })
  }
}
