import { parseDay } from '../../src/base/time.ts'
import type { Store } from '../../src/store/open-store.ts'
import { dailyEntries, productSettings, reportContext, summaryEntries } from '../helpers/run-history.ts'
import type { History } from '../reference/arbitraries.ts'
import { datesBetween } from '../reference/calendar-date.ts'
import { dayFigures, rangeFigures } from '../reference/figures.ts'
import type { KeptEvent } from '../reference/kept-event.ts'

const DAY_MS = 86_400_000

/** What the plain reference makes of the kept events of a history: all its days, and a summary over them. */
export function expectedFrom(kept: readonly KeptEvent[], { settings, asOfMs }: History) {
  const ids = [...new Set(kept.map(({ deviceId }) => deviceId))].sort((one, other) => (one < other ? -1 : 1))
  const days = daysOf(kept)
  const events = [...kept]
  return {
    days,
    daily: days.map((day) => ids.map((id) => dayFigures(events, id, day, settings, asOfMs))),
    summary: ids.map((id) => rangeFigures(events, id, days[0], days[days.length - 1], settings, asOfMs)),
  }
}

/** All days with an event, one before and enough after for a silence to run out; at most 31. */
function daysOf(kept: readonly KeptEvent[]): number[] {
  if (kept.length === 0) return [20240510]
  const instants = kept.filter(({ type }) => type !== 'placement').map(({ at }) => at)
  const first = Math.min(...(instants.length > 0 ? instants : kept.map(({ at }) => at)))
  const dateOf = (instant: number): number => Number(new Date(instant).toISOString().slice(0, 10).replaceAll('-', ''))
  return datesBetween(dateOf(first - 2 * DAY_MS), dateOf(first + 28 * DAY_MS))
}

/** What the store reports of these days. */
export async function actualOf(store: Store, { settings, asOfMs }: History, days: readonly number[]) {
  const context = reportContext(store, productSettings(settings), asOfMs)
  const epochDay = (day: number): number => parseDay(day) as number
  const daily = []
  for (const day of days) daily.push(await dailyEntries(context, epochDay(day)))
  const range = { fromDay: epochDay(days[0]), toDay: epochDay(days[days.length - 1]) }
  return { days, daily, summary: await summaryEntries(context, range) }
}
