import { NO_SEQ } from '../event/event-columns.ts'
import type { DayEvents } from '../rollup/day-events.ts'
import type { FoldTrace, UnknownReason } from '../rollup/fold-trace.ts'

/** An event and what the folds reported about it; null for anything not reported. Columns as in event-columns.ts. */
export interface TracedReading {
  /** Epoch ms. */
  at: number
  seq: number
  kind: number
  a: number
  b: number
  /** The event that this one repeats, if any. */
  repeatOf: TracedReading | null
  visitors: number | null
  /** Running total before this one, -1 if this is the first. */
  lastTotal: number | null
  doors: number | null
  /** In 1/1000 degree. */
  celsius: number | null
  setpoint: number | null
  /** Power state after it. */
  power: number | null
  contrary: boolean
  endsSilence: boolean
  deviationMm: number | null
  spike: boolean
}

/** A span of one power state, epoch ms, half-open; `why` gives the reason if the state is unknown. */
export interface TracedSpan {
  state: number
  why: UnknownReason | null
  from: number
  to: number
}

/** Keeps what the folds report about one day: its readings in order, and its power spans, merging alike neighbours. */
export class DayTrace implements FoldTrace {
  readonly readings: TracedReading[] = []
  readonly spans: TracedSpan[] = []
  readonly #fixes: TracedReading[] = []
  #judged = 0

  event(events: DayEvents, row: number, midnight: number): void {
    this.readings.push(readingOf(events, row, midnight, null))
  }

  repeat(events: DayEvents, row: number, midnight: number): void {
    const before = this.#latest
    this.readings.push(readingOf(events, row, midnight, before.repeatOf ?? before))
  }

  visitors(counted: number, lastTotal?: number): void {
    this.#latest.visitors = counted
    this.#latest.lastTotal = lastTotal ?? null
  }

  doors(counted: number): void {
    this.#latest.doors = counted
  }

  celsius(value: number): void {
    this.#latest.celsius = value
  }

  setpoint(value: number): void {
    this.#latest.setpoint = value
  }

  power(state: number, contrary: boolean): void {
    this.#latest.power = state
    this.#latest.contrary = contrary
  }

  fix(deviationMm: number): void {
    this.#latest.deviationMm = deviationMm
    this.#fixes.push(this.#latest)
  }

  judged(spike: boolean): void {
    this.#fixes[this.#judged++].spike = spike
  }

  span(state: number, from: number, to: number, why: UnknownReason | null = null): void {
    const reading = this.readings.at(-1)
    if (why === 'silence' && reading?.at === to) reading.endsSilence = true
    const last = this.spans.at(-1)
    if (last?.state === state && last.why === why && last.to === from) last.to = to
    else this.spans.push({ state, why, from, to })
  }

  get #latest(): TracedReading {
    return this.readings[this.readings.length - 1]
  }
}

function readingOf(
  { at, seq, kind, a, b }: DayEvents,
  row: number,
  midnight: number,
  repeatOf: TracedReading | null,
): TracedReading {
  return {
    at: midnight + at[row],
    seq: seq === null ? NO_SEQ : seq[row],
    kind: kind[row],
    a: a[row],
    b: b[row],
    repeatOf,
    visitors: null,
    lastTotal: null,
    doors: null,
    celsius: null,
    setpoint: null,
    power: null,
    contrary: false,
    endsSilence: false,
    deviationMm: null,
    spike: false,
  }
}
