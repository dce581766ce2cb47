import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { CoolerError } from '../../base/errors.ts'

/** No message is larger; a damaged one must not take all memory. */
const MOST_BYTES = 64 * 1024 * 1024

/** Encodes the JSON of a message as it is stored. */
export const encodeMessage = (json: string): Buffer => deflateRawSync(json)

/** Decodes what encodeMessage has encoded. @throws CoolerError `store-damaged` */
export function decodeMessage(body: Uint8Array, id: string): string {
  try {
    return inflateRawSync(body, { maxOutputLength: MOST_BYTES }).toString('utf8')
  } catch (error) {
    throw new CoolerError('store-damaged', `the body of message ${id} cannot be read`, { cause: error })
  }
}
