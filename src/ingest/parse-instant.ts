import { LEAST_EPOCH_MS } from '../event/check-event.ts'
import { parseRfc3339 } from '../event/parse-at.ts'
import { END_OF_TIME } from '../store/due.ts'

/**
 * Returns the instant (epoch ms) of a text that is RFC 3339 with an offset or epoch milliseconds, or null for any other
 * text, including epoch seconds.
 */
export function parseInstant(text: string): number | null {
  if (!/^\d{1,16}$/.test(text)) return parseRfc3339(text)
  const instant = Number(text)
  return instant >= LEAST_EPOCH_MS && instant < END_OF_TIME ? instant : null
}
