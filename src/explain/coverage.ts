import { formatInstant } from '../base/time.ts'
import { UNKNOWN_REASONS, type UnknownReason } from '../rollup/fold-trace.ts'
import { type DeviceDay, Power } from '../store/device-day.ts'
import type { DayTrace, TracedReadings, TracedSpan } from './day-trace.ts'
import type { Coverage } from './explanation.ts'

/** Instants in epoch ms, half-open. */
export interface Period {
  from: number
  to: number
}

/** Returns how long two spans overlap, in ms. */
export const overlapMs = (one: Period, other: Period): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from))

/** The day that a coverage describes. */
export interface CoveredDay extends Period {
  /** Null if it is not known. */
  daytime: Period | null
  /** Time from this instant on counts as not passed. */
  asOf: number
}

/** Returns a day's coverage from its trace. `heardBefore` is the last event before the day (epoch ms, 0 for never). */
export function tracedCoverage(day: CoveredDay, { spans, readings }: DayTrace, heardBefore: number): Coverage {
  const msOf = (within: Period, counts: (span: TracedSpan) => boolean): number =>
    spans.reduce((sum, span) => (counts(span) ? sum + overlapMs(span, within) : sum), 0)
  const states = (within: Period) => ({
    ...passed(within, day.asOf),
    onSeconds: msOf(within, ({ state }) => state === Power.on) / 1000,
    offSeconds: msOf(within, ({ state }) => state === Power.off) / 1000,
    unknownSeconds: msOf(within, ({ state }) => state === Power.unknown) / 1000,
  })
  const because = UNKNOWN_REASONS.map((reason) => [reason, msOf(day, ({ why }) => why === reason) / 1000] as const)
  return {
    ...states(day),
    unknownBecause: Object.fromEntries(because) as Record<UnknownReason, number>,
    daytime: day.daytime && states(day.daytime),
    firstHeardAt: readings.length === 0 ? null : formatInstant(readings.at(0)),
    lastHeardAt: readings.length === 0 ? null : formatInstant(readings.at(readings.length - 1)),
    longestSilence: longestSilence(heardAt(heardBefore, readings), Math.min(day.asOf, day.to), day.from),
  }
}

/** Yields when the device was heard, ascending; `before` is when it was last heard before the day, 0 for never. */
function* heardAt(before: number, readings: TracedReadings): Generator<number> {
  if (before > 0) yield before
  for (let place = 0; place < readings.length; place++) yield readings.at(place)
}

/** Returns the longest gap that ends after the day's start, between ascending instants or from the last to `endsAt`. */
function longestSilence(instants: Iterable<number>, endsAt: number, dayStart: number): Coverage['longestSilence'] {
  let longest: Period = { from: 0, to: 0 }
  let last: number | null = null
  const consider = (to: number): void => {
    if (last !== null && to > dayStart && to - last > longest.to - longest.from) longest = { from: last, to }
  }
  for (const instant of instants) {
    consider(Math.min(instant, endsAt))
    last = instant
  }
  consider(endsAt)
  const { from, to } = longest
  if (from === to) return null
  return { seconds: (to - from) / 1000, from: formatInstant(from), to: formatInstant(to) }
}

/** Returns a day's coverage from its stored rollup alone, for a day whose events are not there. */
export function storedCoverage(day: CoveredDay, { onMs, offMs, onDaytimeMs, lastHeardAt }: DeviceDay): Coverage {
  return {
    ...passed(day, day.asOf),
    onSeconds: onMs / 1000,
    offSeconds: offMs / 1000,
    unknownSeconds: (day.to - day.from - onMs - offMs) / 1000,
    unknownBecause: null,
    daytime: day.daytime && {
      ...passed(day.daytime, day.asOf),
      onSeconds: onDaytimeMs / 1000,
      offSeconds: null,
      unknownSeconds: null,
    },
    firstHeardAt: null,
    lastHeardAt: lastHeardAt >= day.from && lastHeardAt < day.to ? formatInstant(lastHeardAt) : null,
    longestSilence: null,
  }
}

const passed = ({ from, to }: Period, asOf: number) => ({
  lengthSeconds: (to - from) / 1000,
  passedSeconds: Math.max(0, Math.min(asOf, to) - from) / 1000,
})
