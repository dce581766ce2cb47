import { CoolerError } from '../base/errors.ts'

/** Stands for Amazon's own servers. */
const AMAZON = 'aws'

const RIGHT = `${AMAZON}, or an http or https URL without a login and without ?`

/**
 * Returns the server of buckets that COOLER_S3_ENDPOINT names, whose endpoint is null for Amazon S3; null if it is empty.
 *
 * @throws CoolerError `bad-configuration`, one line without what may be a login
 */
export function s3ServerOf(value: string): { endpoint: string | null } | null {
  if (value === '') return null
  if (value === AMAZON) return { endpoint: null }
  if (/^https?:\/\/[^@?#\s]+$/i.test(value) && URL.canParse(value)) return { endpoint: value }
  const shown = value.includes('@') ? '' : ` is ${JSON.stringify(value)}: it`
  throw new CoolerError('bad-configuration', `COOLER_S3_ENDPOINT${shown} must be ${RIGHT}`)
}
