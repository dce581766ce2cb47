import type { DayEvents } from './day-events.ts'

/** Why a span of a day counts neither as on nor as off. */
export const UNKNOWN_REASONS = [
  /** No power event has reported a state yet. */
  'no-power-event',
  /** The part of a silence that exceeds the limit. */
  'silence',
  /** The span lies after the instant of the rollup. */
  'after-as-of',
] as const

export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

/**
 * Receives, in the order of events, everything that the figures of a day come from. Amounts are reported where they are
 * counted, so that the figures are the sums of the reported amounts. A day begins with `startDay` of the fold.
 */
export interface FoldTrace {
  /** The next event, a row of the columns. The calls up to the next event concern this one. */
  event(events: DayEvents, row: number, midnight: number): void
  /** A repeat of the last event; it counts nothing. */
  repeat(events: DayEvents, row: number, midnight: number): void
  /** `lastTotal` is the running total before this one, -1 if this is the first; undefined for a plain count. */
  visitors(counted: number, lastTotal?: number): void
  doors(counted: number): void
  /** In 1/1000 degree. */
  celsius(value: number): void
  setpoint(value: number): void
  /** A power event, after which the power is in `state`; `contrary` if another event of that instant contradicts it. */
  power(state: number, contrary: boolean): void
  /** The deviation of a fix, in millimetres. Whether the fix is left out is reported later, by `judged`. */
  fix(deviationMm: number): void
  /** Whether the earliest fix not judged yet is a spike; if not, it counts. */
  judged(spike: boolean): void
  /** A span (epoch ms, half-open) in one power state; the spans of a day follow each other from its start to its end. */
  span(state: number, from: number, to: number, why?: UnknownReason): void
}
