import { Kind, NO_SEQ, totalOf } from '../event/event-columns.ts'
import { compareRows } from '../event/event-order.ts'
import { type DeviceDay, emptyDeviceDay, isOpen, Power } from '../store/device-day.ts'
import type { DayEvents } from './day-events.ts'
import { Deviation, type Position } from './figures/distance.ts'
import { type DoorCount, Doors } from './figures/doors.ts'
import type { Figure } from './figures/figure.ts'
import { PowerTime } from './figures/power.ts'
import { Temperature } from './figures/temperature.ts'
import { Visitors } from './figures/visitors.ts'
import type { FoldTrace } from './fold-trace.ts'
import type { LocalDay } from './local-day.ts'

/** Settings that the figures depend on. */
export interface FoldSettings {
  silenceLimitMs: number
  doorCount: DoorCount
}

/**
 * Tells whether a fold can go on from the rollup of a day with events that are all later than those in it. The day must
 * be open, and its last event no later than its rollup. Earlier versions did not keep the last fixes of open days.
 */
export const canResume = (rollup: DeviceDay): boolean =>
  isOpen(rollup) &&
  rollup.lastHeardAt <= rollup.startAt + rollup.passedMs &&
  (rollup.lastFixMs >= 0 || rollup.distanceCount + rollup.spikes === 0)

/**
 * Folds the ordered events of one device into its days. The result depends only on the settings, the events, the
 * placements, the state carried from the day before and `asOf`. The caller says where days begin and end.
 */
export class DeviceFold {
  readonly #visitors: Visitors
  readonly #doors: Doors
  readonly #temperature: Temperature
  readonly #power: PowerTime
  readonly #deviation: Deviation
  readonly #figures: readonly Figure[]
  readonly #asOf: number
  readonly #meantAt: (at: number) => Position | null
  readonly #trace: FoldTrace | null
  #day: LocalDay | null = null
  /** Epoch ms of the latest contrary power events; -1 before the first. */
  #contraryAt = -1
  #events = 0
  #repeats = 0

  /**
   * @param asOf epoch ms; time after it is not counted.
   * @param meantAt returns where the device is meant to stand at an instant; called with instants that never decrease.
   * @param trace receives everything that the figures come from; null if no trace is wanted.
   */
  constructor(
    settings: FoldSettings,
    asOf: number,
    meantAt: (at: number) => Position | null,
    trace: FoldTrace | null = null,
  ) {
    this.#asOf = asOf
    this.#meantAt = meantAt
    this.#trace = trace
    this.#visitors = new Visitors(trace)
    this.#doors = new Doors(settings.doorCount, trace)
    this.#temperature = new Temperature(trace)
    this.#power = new PowerTime(settings.silenceLimitMs, asOf, trace)
    this.#deviation = new Deviation(trace)
    this.#figures = [this.#visitors, this.#doors, this.#temperature, this.#power, this.#deviation]
  }

  resume(before: DeviceDay | null): void {
    for (const figure of this.#figures) figure.resume(before)
  }

  startDay(day: LocalDay): void {
    this.#day = day
    this.#events = this.#repeats = 0
    for (const figure of this.#figures) figure.startDay(day)
  }

  /** Restores the day from its rollup, so that only later events need folding. `canResume` must hold for the rollup. */
  resumeDay(rollup: DeviceDay): void {
    this.#events = rollup.events
    this.#repeats = rollup.repeats
    for (const figure of this.#figures) figure.resumeDay(rollup)
  }

  finishDay(): DeviceDay {
    const day = this.#day
    if (day === null) throw new Error('finishDay before startDay')
    const into = emptyDeviceDay()
    into.startAt = day.start
    into.lengthMs = day.end - day.start
    into.passedMs = Math.max(0, Math.min(this.#asOf, day.end) - day.start)
    into.closesAfterMs = this.#asOf < day.closesAt ? day.closesAt - day.end : 0
    into.events = this.#events
    into.repeats = this.#repeats
    for (const figure of this.#figures) figure.finishDay(into)
    return into
  }

  /**
   * Folds the events `order[from]` to `order[to - 1]`, all of the current day; `midnight` is the first instant of their
   * UTC day (epoch ms). The device's events of that UTC day start at `first`, so that a repeat of the event before
   * `from` is recognised.
   */
  fold(events: DayEvents, from: number, to: number, first: number, midnight: number): void {
    const { order } = events
    for (let index = from; index < to; index++) {
      const row = order[index]
      if (index > first && compareRows(events, order[index - 1], row) === 0) {
        this.#repeats++
        this.#trace?.repeat(events, row, midnight)
      } else {
        this.#event(events, index, to, midnight)
      }
    }
  }

  #event(events: DayEvents, index: number, to: number, midnight: number): void {
    const row = events.order[index]
    const at = midnight + events.at[row]
    const a = events.a[row]
    const b = events.b[row]
    this.#events++
    this.#trace?.event(events, row, midnight)
    this.#power.heard(at)
    switch (events.kind[row]) {
      case Kind.doorState:
        this.#doors.state(a === 1)
        break
      case Kind.doorCount:
        this.#doors.count(a)
        break
      case Kind.temperature:
        this.#temperature.reading(a, b)
        break
      case Kind.power:
        this.#powerEvent(events, index, to, at)
        break
      case Kind.fix:
        this.#fix(at, a, b)
        break
      case Kind.visitorCount:
        this.#visitors.count(a)
        break
      case Kind.visitorTotal:
        this.#visitors.total(totalOf(a, b))
        break
    }
  }

  /**
   * Applies a power event. Contrary ones of one instant without `seq` leave the state as it was, or off if it was
   * unknown. In event order off comes first, and on follows with only repeats of off in between.
   */
  #powerEvent(events: DayEvents, index: number, to: number, at: number): void {
    const row = events.order[index]
    const on = events.a[row] === 1
    const withoutSeq = events.seq === null || events.seq[row] === NO_SEQ
    if (withoutSeq && on && at === this.#contraryAt) {
      this.#trace?.power(this.#power.state, true)
      return
    }
    if (withoutSeq && !on && this.#onFollows(events, index, to)) {
      this.#contraryAt = at
      if (this.#power.state === Power.unknown) this.#power.change(Power.off)
      this.#trace?.power(this.#power.state, true)
      return
    }
    this.#power.change(on ? Power.on : Power.off)
    this.#trace?.power(this.#power.state, false)
  }

  #onFollows(events: DayEvents, index: number, to: number): boolean {
    const { order, at, kind, a, seq } = events
    const row = order[index]
    let next = index + 1
    while (next < to && compareRows(events, row, order[next]) === 0) next++
    if (next === to) return false
    const other = order[next]
    const samePlace = at[other] === at[row] && (seq === null || seq[other] === NO_SEQ)
    return samePlace && kind[other] === Kind.power && a[other] === 1
  }

  #fix(at: number, lat: number, lon: number): void {
    const meant = this.#meantAt(at)
    if (meant !== null) this.#deviation.fix(at, lat, lon, meant)
  }
}
