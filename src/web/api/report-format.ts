import { EXPORT_FORMATS, type ExportFormat } from '../../report/export/formats.ts'

/** Form of a report: the JSON of the interface, or a file. */
export type ReportFormat = 'json' | ExportFormat

/**
 * Returns the format of `?format=`, or else of the Accept header. The default is JSON, also if the header names only
 * types that we do not have, because the interface names no media type.
 */
export function formatOf(format: ReportFormat | undefined, accept: string | undefined): ReportFormat {
  if (format !== undefined) return format
  // One test is enough for nearly all requests, because they name no file type.
  return accept !== undefined && NAMES_A_FILE.test(accept) ? acceptedFormat(accept) : 'json'
}

const NAMES_A_FILE = new RegExp(
  Object.values(EXPORT_FORMATS)
    .map(({ mediaType }) => mediaType)
    .join('|'),
  'i',
)

const FORMAT_OF_TYPE = new Map<string, ReportFormat>([
  ['application/json', 'json'],
  ...Object.entries(EXPORT_FORMATS).map(([name, { mediaType }]): [string, ReportFormat] => [
    mediaType,
    name as ExportFormat,
  ]),
])

/** Returns the format of the type with the greatest weight; among equals, of the first. */
function acceptedFormat(accept: string): ReportFormat {
  let best: { format: ReportFormat; weight: number } = { format: 'json', weight: 0 }
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isAny = type === '*/*'
    const format = isAny ? 'json' : FORMAT_OF_TYPE.get(type)
    const weight = weightOf(parameters) - (isAny ? NAMED : 0)
    if (format !== undefined && weight > best.weight) best = { format, weight }
  }
  return best.format
}

/**
 * Weight by which a named type outranks any type, wherever it stands: less than the smallest difference between
 * weights, which have three digits.
 */
const NAMED = 0.0005

/** Returns the weight `q` (RFC 9110 12.4.2): 1 if it is missing, 0 if it is malformed. */
export function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (given === undefined) return 1
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given) : 0
}
