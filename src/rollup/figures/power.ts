import { type DeviceDay, Power } from '../../summary/device-day.ts'
import type { LocalDay } from '../local-day.ts'
import type { Figure } from './figure.ts'

/**
 * `powerDuration` and `powerDayDuration`: a state holds from its event on, over midnight and over days without events,
 * but of a silence (no event of any type) only the first `silenceLimitMs` count; heard again, the state holds again.
 *
 *     heard        heard                     heard      day ends
 *       |-- held ----|-- held --|  silence     |-- held --|
 *                    |< limit >|
 */
export class PowerTime implements Figure {
  readonly #silenceLimitMs: number
  readonly #asOf: number
  #state: number = Power.unknown
  #lastHeardAt = 0
  #countedTo = 0
  #day: LocalDay = { day: 0, start: 0, end: 0, daytimeStart: 0, daytimeEnd: 0, closesAt: 0 }
  #onMs = 0
  #onDaytimeMs = 0
  #offMs = 0

  /** @param asOf epoch ms: time after it has not passed yet and counts nothing. */
  constructor(silenceLimitMs: number, asOf: number) {
    this.#silenceLimitMs = silenceLimitMs
    this.#asOf = asOf
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

  get state(): number {
    return this.#state
  }

  get lastHeardAt(): number {
    return this.#lastHeardAt
  }

  /** The device was heard: the time since it was last heard counts, up to the silence limit. */
  heard(at: number): void {
    if (at === this.#lastHeardAt) return
    this.#countTo(at)
    this.#lastHeardAt = at
    this.#countedTo = at
  }

  /** From the instant last heard on, the power is in this state. */
  change(state: number): void {
    this.#state = state
  }

  #countTo(until: number): void {
    if (this.#state === Power.unknown) return
    const from = this.#countedTo
    const to = Math.min(until, this.#lastHeardAt + this.#silenceLimitMs, this.#asOf)
    if (to <= from) return
    if (this.#state === Power.off) {
      this.#offMs += to - from
      return
    }
    this.#onMs += to - from
    const { daytimeStart, daytimeEnd } = this.#day
    this.#onDaytimeMs += Math.max(0, Math.min(to, daytimeEnd) - Math.max(from, daytimeStart))
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
