import { type DeviceDay, Power } from '../../store/device-day.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { LocalDay } from '../local-day.ts'
import type { Figure } from './figure.ts'
import { hours } from './statement.ts'

export const HOURS_ON = hours('onMs', {
  meaning: 'time powered on; before the first power event, and beyond the silence limit, nothing counts',
  example: 23.5,
  heading: 'on h',
  importance: 8,
})

export const DAYTIME_HOURS_ON = hours('onDaytimeMs', {
  meaning: 'the part of powerDuration that lies in the daytime of the device (`COOLER_DAYTIME`)',
  example: 12,
  heading: 'by day h',
  importance: 4,
})

/**
 * Sums time on, in all and by day, and time off. A state holds from its event on, over midnight and days without
 * events. Of a silence (no event of any type) only the first `silenceLimitMs` count; once heard, the state holds again.
 *
 *     heard        heard                     heard      day ends
 *       |-- held ----|-- held --|  silence     |-- held --|
 *                    |< limit >|
 */
export class PowerTime implements Figure {
  readonly #silenceLimitMs: number
  readonly #asOf: number
  readonly #trace: FoldTrace | null
  #state: number = Power.unknown
  #lastHeardAt = 0
  #countedTo = 0
  #day: LocalDay = { day: 0, start: 0, end: 0, daytimeStart: 0, daytimeEnd: 0, closesAt: 0 }
  #onMs = 0
  #onDaytimeMs = 0
  #offMs = 0

  /** @param asOf epoch ms; time after it has not passed yet and is not counted. */
  constructor(silenceLimitMs: number, asOf: number, trace: FoldTrace | null) {
    this.#silenceLimitMs = silenceLimitMs
    this.#asOf = asOf
    this.#trace = trace
  }

  resume(before: DeviceDay | null): void {
    this.#state = before === null ? Power.unknown : before.power
    this.#lastHeardAt = before === null ? 0 : before.lastHeardAt
  }

  startDay(day: LocalDay): void {
    this.#day = day
    this.#countedTo = day.start
    this.#onMs = this.#onDaytimeMs = this.#offMs = 0
  }

  resumeDay(rollup: DeviceDay): void {
    this.resume(rollup)
    this.#onMs = rollup.onMs
    this.#onDaytimeMs = rollup.onDaytimeMs
    this.#offMs = rollup.offMs
    // From the last event on, the rollup counted up to its own instant.
    this.#countedTo = rollup.lastHeardAt
    const to = Math.min(rollup.startAt + rollup.passedMs, rollup.lastHeardAt + this.#silenceLimitMs)
    if (rollup.power !== Power.unknown && to > this.#countedTo) this.#add(this.#countedTo, to, -1)
  }

  get state(): number {
    return this.#state
  }

  get lastHeardAt(): number {
    return this.#lastHeardAt
  }

  /** Records that the device was heard: counts the time since it was last heard, up to the silence limit. */
  heard(at: number): void {
    if (at === this.#lastHeardAt) return
    this.#countTo(at)
    this.#lastHeardAt = at
    this.#countedTo = at
  }

  /** Sets the power state that holds from the instant last heard. */
  change(state: number): void {
    this.#state = state
  }

  #countTo(until: number): void {
    const from = this.#countedTo
    const known = this.#state !== Power.unknown
    const to = known ? Math.min(until, this.#lastHeardAt + this.#silenceLimitMs, this.#asOf) : from
    if (to > from) this.#count(from, to)
    if (this.#trace !== null) this.#traceUnknown(this.#trace, Math.max(from, to), until)
  }

  #count(from: number, to: number): void {
    this.#trace?.span(this.#state, from, to)
    this.#add(from, to, 1)
  }

  /** Adds a span of the state held, or takes it back. */
  #add(from: number, to: number, sign: 1 | -1): void {
    if (this.#state === Power.off) {
      this.#offMs += sign * (to - from)
      return
    }
    this.#onMs += sign * (to - from)
    const { daytimeStart, daytimeEnd } = this.#day
    this.#onDaytimeMs += sign * Math.max(0, Math.min(to, daytimeEnd) - Math.max(from, daytimeStart))
  }

  /** Traces the time from `from` to `until`, which counts neither as on nor as off, with the reason. */
  #traceUnknown(trace: FoldTrace, from: number, until: number): void {
    const passed = Math.max(from, Math.min(until, this.#asOf))
    if (passed > from)
      trace.span(Power.unknown, from, passed, this.#state === Power.unknown ? 'no-power-event' : 'silence')
    if (until > passed) trace.span(Power.unknown, passed, until, 'after-as-of')
  }

  finishDay(into: DeviceDay): void {
    this.#countTo(this.#day.end)
    into.onMs = this.#onMs
    into.onDaytimeMs = this.#onDaytimeMs
    into.offMs = this.#offMs
    into.power = this.#state
    into.lastHeardAt = this.#lastHeardAt
  }
}
