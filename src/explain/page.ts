import { formatInstant } from '../base/time.ts'
import type { FigureName } from '../rollup/figures/figures.ts'
import { overlapMs } from './coverage.ts'
import type { DayTrace, TracedReadings, TracedSpan } from './day-trace.ts'
import { POWER_NAMES, type PowerSpan, type Reading } from './explanation.ts'
import { type Extremes, figuresOf, readingBody } from './readings.ts'

/** The reading after which a page begins: its instant (epoch ms) and its place (from 0) among those of that instant. */
export interface PageCursor {
  at: number
  place: number
}

export interface PageRequest {
  /** Selects the readings that concern this figure; null for all. */
  figure: FigureName | null
  /** Most readings, 1 or more. */
  limit: number
  after: PageCursor | null
}

export interface Page {
  readings: Reading[]
  spans: PowerSpan[]
  next: string | null
}

/** Parses a cursor as `next` gives it; returns null if the text is not a cursor. */
export function parseCursor(text: string): PageCursor | null {
  const match = /^(\d{1,15})-(\d{1,10})$/.exec(text)
  return match && { at: Number(match[1]), place: Number(match[2]) }
}

/** Returns a page of a day's readings, with the power spans that begin in it unless `figure` is not about power. */
export function pageOf(
  { readings, spans }: DayTrace,
  extremes: Extremes,
  daytime: { from: number; to: number },
  { figure, limit, after }: PageRequest,
): Page {
  const page: Reading[] = []
  let last: PageCursor | null = null
  let next: PageCursor | null = null
  for (const { nth, at, place } of placed(readings)) {
    if (after !== null && (at < after.at || (at === after.at && place <= after.place))) continue
    const reading = readings.get(nth)
    const figures = figuresOf(reading, extremes)
    if (figure !== null && !figures.includes(figure)) continue
    if (page.length === limit) {
      next = last
      break
    }
    page.push(readingBody(reading, figures))
    last = { at, place }
  }
  const concerned = figure === null || figure === 'powerDuration' || figure === 'powerDayDuration'
  const begins = ({ from }: TracedSpan): boolean =>
    concerned && from > (after?.at ?? -Infinity) && from <= (next?.at ?? Infinity)
  return {
    readings: page,
    spans: spans.filter(begins).map((span) => spanBody(span, daytime)),
    next: next && `${next.at}-${next.place}`,
  }
}

function* placed(readings: TracedReadings): Generator<PageCursor & { nth: number }> {
  let before = -1
  let place = 0
  for (let nth = 0; nth < readings.length; nth++) {
    const at = readings.at(nth)
    place = at === before ? place + 1 : 0
    before = at
    yield { nth, at, place }
  }
}

function spanBody({ state, why, from, to }: TracedSpan, daytime: { from: number; to: number }): PowerSpan {
  return {
    state: POWER_NAMES[state],
    ...(why === null ? {} : { why }),
    from: formatInstant(from),
    to: formatInstant(to),
    seconds: (to - from) / 1000,
    daytimeSeconds: overlapMs({ from, to }, daytime) / 1000,
  }
}
