import { CoolerError } from '../../../base/errors.ts'
import { EXPECTED, text } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { parseInstant } from '../../../ingest/parse-instant.ts'
import type { EventSpan } from '../../../store/device-events.ts'
import { END_OF_TIME } from '../../../store/due.ts'

const instantParameter = (description: string, example: string) =>
  Type.Refine(
    text(
      `${description} RFC 3339 with \`Z\` or an offset (\`+\` is written \`%2B\`), or epoch milliseconds.`,
      example,
      { [EXPECTED]: 'RFC 3339 with Z or an offset (in an address + is written %2B), or epoch milliseconds' },
    ),
    (value) => parseInstant(value) !== null,
  )

/** Parameters of a half-open span of instants. */
export const FROM = instantParameter('First instant.', '2026-11-20T00:00:00Z')
export const TO = instantParameter('First instant after the last.', '2026-11-21T00:00:00Z')

/** Returns the span of parameters that have passed their check; without an end it has none. @throws CoolerError `bad-request` */
export function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }): EventSpan {
  const fromAt = from === undefined ? 0 : (parseInstant(from) as number)
  const toAt = to === undefined ? END_OF_TIME : (parseInstant(to) as number)
  if (fromAt >= toAt) throw new CoolerError('bad-request', 'from must be before to')
  return { fromAt, toAt }
}
