import { isUtf8 } from 'node:buffer'
import { CoolerError } from '../../base/errors.ts'
import { isCheapToParse } from '../../base/parsing-cost.ts'

/**
 * Most that a body may cost to parse on the event loop (isCheapToParse): some 10 ms. A device with 1000 placements has
 * some 30 000, and a report of 99 000 ids fits.
 */
const MOST_COST = 100_000

const BYTE_ORDER_MARK = 0xfeff

/**
 * The JSON object of a request body, whatever its media type says (RULES.md 5).
 *
 * @throws CoolerError `bad-request` where the body is no JSON object.
 */
export function jsonObject(body: unknown): Record<string, unknown> {
  const value = parsed(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CoolerError('bad-request', 'the body must be a JSON object')
  }
  return value as Record<string, unknown>
}

function parsed(body: unknown): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0)
    throw new CoolerError('bad-request', 'the body is empty: it must be a JSON object')
  if (!isCheapToParse(body, MOST_COST)) {
    throw new CoolerError('body-too-large', 'the body has too many values: send it in parts')
  }
  if (!isUtf8(body)) throw new CoolerError('bad-request', 'the body is not UTF-8')
  try {
    const text = body.toString('utf8')
    return JSON.parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text)
  } catch (error) {
    throw new CoolerError('bad-request', `the body is not JSON: ${(error as Error).message}`, { cause: error })
  }
}
