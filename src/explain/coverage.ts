import { formatInstant } from '../base/time.ts'
import { UNKNOWN_REASONS, type UnknownReason } from '../rollup/fold-trace.ts'
import { type DeviceDay, Power } from '../store/device-day.ts'
import type { DayTrace, TracedSpan } from './day-trace.ts'
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
    firstHeardAt: readings.length === 0 ? null : formatInstant(readings[0].at),
    lastHeardAt: readings.length === 0 ? null : formatInstant(readings[readings.length - 1].at),
    longestSilence: longestSilence(
      [heardBefore, ...readings.map(({ at }) => at)].filter((at) => at > 0),
      Math.min(day.asOf, day.to),
      day.from,
    ),
  }
}

/** Returns the longest gap that ends after the day's start, between ascending instants or from the last to `endsAt`. */
function longestSilence(heardAt: readonly number[], endsAt: number, dayStart: number): Coverage['longestSilence'] {
  let longest: Period | null = null
  for (const [index, heard] of heardAt.entries()) {
    const gap = { from: heard, to: Math.min(heardAt[index + 1] ?? endsAt, endsAt) }
    if (gap.to > dayStart && gap.to - gap.from > (longest === null ? 0 : longest.to - longest.from)) longest = gap
  }
  if (longest === null) return null
  const { from, to } = longest
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
