import type { DayEvents } from './day-events.ts'

/** Why a span of a day counts neither as on nor as off. */
export const UNKNOWN_REASONS = [
  /** No power event has told a state yet. */
  'no-power-event',
  /** More of a silence than the limit. */
  'silence',
  /** It had not passed at the instant of the rollup. */
  'after-as-of',
] as const

export type UnknownReason = (typeof UNKNOWN_REASONS)[number]

/**
 * Told by the folds, in the order of events, of everything that the figures of a day come from: what is counted is told
 * where it is counted, so that the sums of what is told are the figures. A day begins with `startDay` of the fold.
 */
export interface FoldTrace {
  /** The next event, a row of the columns; what is told up to the next one concerns it. */
  event(events: DayEvents, row: number, midnight: number): void
  /** The event told last, once more: it counts nothing. */
  repeat(events: DayEvents, row: number, midnight: number): void
  /** `lastTotal` is the running total before this one, -1 where this is the first; undefined for a plain count. */
  visitors(counted: number, lastTotal?: number): void
  doors(counted: number): void
  /** In 1/1000 degree. */
  celsius(value: number): void
  setpoint(value: number): void
  /** A power event after which the power is in `state`; `contrary` to another one of the same instant. */
  power(state: number, contrary: boolean): void
  /** How far a fix is off, in millimetres. Whether it is left out is told later, by `judged`. */
  fix(deviationMm: number): void
  /** The earliest fix not judged yet is a spike, or counts. */
  judged(spike: boolean): void
  /** A span (epoch ms, half-open) in one power state; the spans of a day follow each other from its start to its end. */
  span(state: number, from: number, to: number, why?: UnknownReason): void
}
