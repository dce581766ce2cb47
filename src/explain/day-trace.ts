import { enlarged } from '../base/enlarged.ts'
import { Kind, NO_SEQ } from '../event/event-columns.ts'
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

/** Events of one UTC day, and the place of their first reading. */
interface TracedEvents {
  events: DayEvents
  midnight: number
  first: number
}

const FEWEST = 64
const CONTRARY = 1
const ENDS_SILENCE = 2
const SPIKE = 4

/**
 * Keeps the readings of a day in order. It stores columns instead of objects, because a day may have millions of readings
 * and a page shows only a few. The folds report at most two amounts for an event, depending on its kind; NaN means none.
 */
export class TracedReadings {
  length = 0
  readonly #days: TracedEvents[] = []
  #row = new Int32Array(FEWEST)
  /** The place of the reading that this one repeats; -1 for none. */
  #repeatOf = new Int32Array(FEWEST)
  #first = new Float64Array(FEWEST)
  #second = new Float64Array(FEWEST)
  #flags = new Uint8Array(FEWEST)

  /** Adds a reading after the others. */
  add(events: DayEvents, row: number, midnight: number, isRepeat: boolean): void {
    if (this.length === this.#row.length) this.#grow()
    if (this.#days[this.#days.length - 1]?.events !== events) {
      this.#days.push({ events, midnight, first: this.length })
    }
    const place = this.length++
    this.#row[place] = row
    this.#repeatOf[place] = isRepeat ? this.#originalOf(place - 1) : -1
    this.#first[place] = this.#second[place] = Number.NaN
    this.#flags[place] = 0
  }

  #originalOf(place: number): number {
    return this.#repeatOf[place] < 0 ? place : this.#repeatOf[place]
  }

  /** Sets an amount of the last reading: the only or first one of its kind. */
  setFirst(amount: number): void {
    this.#first[this.length - 1] = amount
  }

  /** Sets the second amount of the last reading: `lastTotal` or `setpoint`. */
  setSecond(amount: number): void {
    this.#second[this.length - 1] = amount
  }

  setContrary(): void {
    this.#flags[this.length - 1] |= CONTRARY
  }

  setEndsSilence(): void {
    this.#flags[this.length - 1] |= ENDS_SILENCE
  }

  setSpike(place: number): void {
    this.#flags[place] |= SPIKE
  }

  /** Returns the instant of a reading, epoch ms. */
  at(place: number): number {
    const { events, midnight } = this.#dayOf(place)
    return midnight + events.at[this.#row[place]]
  }

  /** Returns a reading, by its place from 0 to `length - 1`, as an object of its own. */
  get(place: number): TracedReading {
    const { events, midnight } = this.#dayOf(place)
    const row = this.#row[place]
    const flags = this.#flags[place]
    const original = this.#repeatOf[place]
    const kind = events.kind[row]
    const amountOf = (amounts: Float64Array, ...kinds: readonly number[]): number | null =>
      kinds.includes(kind) && !Number.isNaN(amounts[place]) ? amounts[place] : null
    return {
      at: midnight + events.at[row],
      seq: events.seq === null ? NO_SEQ : events.seq[row],
      kind,
      a: events.a[row],
      b: events.b[row],
      repeatOf: original < 0 ? null : this.get(original),
      visitors: amountOf(this.#first, Kind.visitorCount, Kind.visitorTotal),
      lastTotal: amountOf(this.#second, Kind.visitorTotal),
      doors: amountOf(this.#first, Kind.doorState, Kind.doorCount),
      celsius: amountOf(this.#first, Kind.temperature),
      setpoint: amountOf(this.#second, Kind.temperature),
      power: amountOf(this.#first, Kind.power),
      contrary: (flags & CONTRARY) !== 0,
      endsSilence: (flags & ENDS_SILENCE) !== 0,
      deviationMm: amountOf(this.#first, Kind.fix),
      spike: (flags & SPIKE) !== 0,
    }
  }

  *[Symbol.iterator](): Generator<TracedReading> {
    for (let place = 0; place < this.length; place++) yield this.get(place)
  }

  #dayOf(place: number): TracedEvents {
    let nth = this.#days.length - 1
    while (this.#days[nth].first > place) nth--
    return this.#days[nth]
  }

  #grow(): void {
    const size = 2 * this.length
    this.#row = enlarged(this.#row, new Int32Array(size))
    this.#repeatOf = enlarged(this.#repeatOf, new Int32Array(size))
    this.#first = enlarged(this.#first, new Float64Array(size))
    this.#second = enlarged(this.#second, new Float64Array(size))
    this.#flags = enlarged(this.#flags, new Uint8Array(size))
  }
}

/** Keeps what the folds report about one day: its readings in order, and its power spans, merging alike neighbours. */
export class DayTrace implements FoldTrace {
  readonly readings = new TracedReadings()
  readonly spans: TracedSpan[] = []
  /** Places of the fixes that are not judged yet. */
  readonly #fixes: number[] = []
  #judged = 0

  event(events: DayEvents, row: number, midnight: number): void {
    this.readings.add(events, row, midnight, false)
  }

  repeat(events: DayEvents, row: number, midnight: number): void {
    this.readings.add(events, row, midnight, true)
  }

  visitors(counted: number, lastTotal?: number): void {
    this.readings.setFirst(counted)
    if (lastTotal !== undefined) this.readings.setSecond(lastTotal)
  }

  doors(counted: number): void {
    this.readings.setFirst(counted)
  }

  celsius(value: number): void {
    this.readings.setFirst(value)
  }

  setpoint(value: number): void {
    this.readings.setSecond(value)
  }

  power(state: number, contrary: boolean): void {
    this.readings.setFirst(state)
    if (contrary) this.readings.setContrary()
  }

  fix(deviationMm: number): void {
    this.readings.setFirst(deviationMm)
    this.#fixes.push(this.readings.length - 1)
  }

  judged(spike: boolean): void {
    const place = this.#fixes[this.#judged++]
    if (spike) this.readings.setSpike(place)
  }

  span(state: number, from: number, to: number, why: UnknownReason | null = null): void {
    const { readings } = this
    if (why === 'silence' && readings.length > 0 && readings.at(readings.length - 1) === to) readings.setEndsSilence()
    const last = this.spans.at(-1)
    if (last?.state === state && last.why === why && last.to === from) last.to = to
    else this.spans.push({ state, why, from, to })
  }
}
