import { millisecondsInDay, millisecondsInHour } from '../base/time.ts'
import type { Random } from './random.ts'

/** The accidents of a cooler, as instants in epoch ms; Infinity for those that never happen. */
export interface Fate {
  carriedOffAt: number
  silentFrom: number
  silentUntil: number
}

/** One cooler in 100 is carried off and one in 100 falls silent for 1 to 4 days. Even a fleet of a dozen has both. */
const ONE_IN = 100
const CARRIED_OFF = 7
const SILENT = 11

/** Draws the fate of the cooler with this index, at a time within the span (epoch ms) but not in its first 6 hours. */
export function drawFate(index: number, span: { start: number; end: number }, random: Random): Fate {
  const at = random.between(span.start + 6 * millisecondsInHour, span.end)
  const silentMs = random.between(1, 4) * millisecondsInDay
  const carriedOffAt = index % ONE_IN === CARRIED_OFF ? at : Infinity
  const silentFrom = index % ONE_IN === SILENT ? at : Infinity
  return { carriedOffAt, silentFrom, silentUntil: silentFrom + silentMs }
}
