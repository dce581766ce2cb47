import type { BodyPlace } from '../base/checksum.ts'
import { formatDay } from '../base/time.ts'

/** Days whose rollups are summed: epoch days 7w to 7w + 6. They are no calendar weeks. */
export const WEEK_DAYS = 7

/** Returns the week that holds a day (epoch day). */
export const weekOf = (day: number): number => Math.floor(day / WEEK_DAYS)

/** Returns the place that the body of a week is sealed for. Its last part is negative, which no day is. */
export const placeOfWeek = (shard: number, block: number, week: number): BodyPlace => [shard, block, ~week]

/** Returns how a message names the day or the week of a place. */
export const namePeriod = (place: number): string =>
  place < 0 ? `sums of the week from ${formatDay(~place * WEEK_DAYS)}` : `day ${formatDay(place)}`
