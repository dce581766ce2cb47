import { EXPORT_FORMATS, type ExportFormat } from '../../report/export/formats.ts'

/** How a report is answered: as the JSON of the interface, or as a file. */
export type ReportFormat = 'json' | ExportFormat

/**
 * What `?format=` says, or else the Accept header. Whoever says nothing of it, or names only what we do not have, gets
 * JSON: the interface names no media type.
 */
export function formatOf(format: ReportFormat | undefined, accept: string | undefined): ReportFormat {
  if (format !== undefined) return format
  // One look is enough for nearly all requests: they name no file.
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

/** The format of the type with the greatest weight; of equals that of the first. */
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
 * By how much a type that is named outweighs any type, wherever it stands: less than the least difference of weights,
 * which have three digits.
 */
const NAMED = 0.0005

/** The weight `q` of RFC 9110 12.4.2: 1 where it is not there, 0 where it is none. */
export function weightOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  if (given === undefined) return 1
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given) : 0
}
