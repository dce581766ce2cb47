import { type Placement, placementAt } from '../raw/placement.ts'
import { type DeviceDay, Power, sameCarriedState } from '../summary/device-day.ts'
import { isOpen } from '../summary/report-store.ts'
import { millisecondsInDay } from '../time.ts'
import type { DayEvents } from './day-events.ts'
import { DeviceFold, type FoldSettings } from './device-fold.ts'
import type { Position } from './figures/distance.ts'
import { type Calendar, FURTHEST_DATES, type LocalDay } from './local-day.ts'
import { type StoredDay, storedBefore } from './stored-rollups.ts'

/** What a device's days need beside its events. */
export interface CursorContext {
  device: number
  calendar: Calendar
  placements: readonly Placement[]
  /** Stands in where there is no placement: the device's earliest fix. */
  standIn: Position | null
  settings: FoldSettings
  /** Instant of the rollup, epoch ms. */
  now: number
  /** Raw events before it are gone: no day that starts before it is computed, and what is stored of it stays. */
  purgedBefore: number
  /** A day that starts at or after this instant is left to a later pass; a moved device is done in one. */
  windowEnd: number
  /** Spans whose days must be computed, ascending. */
  due: readonly Span[]
  /**
   * A placement changed, or what stands in for one: all days from the first due one on must be computed, and may have
   * other bounds and other dates than before.
   */
  moved: boolean
}

/** Instants in epoch ms, both ends counted. */
export interface Span {
  from: number
  to: number
}

/** What became of one day. */
export interface CursorResult {
  device: number
  /** Local day, epoch day. */
  day: number
  /** Null removes what is stored. */
  rollup: DeviceDay | null
  /** What is stored of that day. */
  old: DeviceDay | null
  /** When the day closes, epoch ms. */
  closesAt: number
}

/** How a cursor reaches what is stored, and where its results go. */
export interface CursorOutput {
  stored(device: number, day: number): Promise<DeviceDay | null>
  nextStored(device: number, day: number, direction: -1 | 1): Promise<StoredDay | null>
  put(result: CursorResult): void
  /** The day that holds `fromAt` is due in a later pass. */
  stillDue(device: number, fromAt: number): void
}

/**
 * Takes one device through its days, from the first that is due on, until what follows is known to be unaffected:
 *
 *     events of a UTC day --fold--> day ends? --finishDay--> put --> go on with the next day, or done
 */
export class DeviceCursor {
  readonly #context: CursorContext
  readonly #output: CursorOutput
  readonly #fold: DeviceFold
  #day: LocalDay
  /** Whether the power state carried into the day counts in it. */
  #entersAlive = false
  /** Spans of events that must be in days computed anew: those that are due, and stored days that were cleared. */
  readonly #spans: Span[]
  /** The span under way is no day, but a gap behind what was deleted. */
  #gap = false
  done = false

  private constructor(context: CursorContext, output: CursorOutput, day: LocalDay) {
    this.#context = context
    this.#output = output
    this.#day = day
    this.#spans = [...context.due]
    this.#fold = new DeviceFold(context.settings, context.now, positionFinder(context))
  }

  /** A cursor at the start of the first day that is due, with the state carried out of the last stored day before. */
  static async start(context: CursorContext, output: CursorOutput, isNew: boolean): Promise<DeviceCursor> {
    const cursor = new DeviceCursor(context, output, firstWholeDay(context))
    if (!isNew && context.moved) await cursor.#clearStored()
    const before = isNew ? null : await cursor.#storedBefore()
    cursor.#fold.resume(before?.rollup ?? null)
    cursor.#enterGap(before)
    cursor.#startDay(before?.rollup ?? null)
    return cursor
  }

  /**
   * Between the last day whose raw events are gone and the first one that is computed may lie some hours of no day at
   * all, since days have other bounds by now. Their events count in no figure, but what they leave behind is carried on.
   */
  #enterGap(before: { day: number; rollup: DeviceDay } | null): void {
    const { calendar, purgedBefore } = this.#context
    const { day, start } = this.#day
    const from = Math.max(purgedBefore, before === null ? 0 : before.rollup.startAt + before.rollup.lengthMs)
    const previous = calendar.dayAt(start - 1)
    const isDay = previous.start >= from && previous.day > (before?.day ?? -Infinity)
    if (purgedBefore === 0 || from >= start || isDay) return
    this.#gap = true
    this.#day = { day: day - 1, start: from, end: start, daytimeStart: from, daytimeEnd: from, closesAt: start }
  }

  /** First instant of the day under way, epoch ms. */
  get at(): number {
    return this.#day.start
  }

  /**
   * Where a placement changed, the days of before may have had other bounds and other dates: all of them are cleared
   * first, and the cursor goes on until whatever was in them has a day again. Those whose raw events are gone stay; what
   * follows begins behind them, by instant and by date, and what lies between counts in no day.
   */
  async #clearStored(): Promise<void> {
    const { device, calendar, purgedBefore } = this.#context
    for (let day = this.#day.day - FURTHEST_DATES; ; ) {
      const stored = await this.#output.nextStored(device, day, 1)
      if (stored === null) break
      const { startAt, lengthMs, events } = stored.rollup
      day = stored.day
      if (startAt < purgedBefore) {
        while (this.#day.start < startAt + lengthMs || this.#day.day <= day) this.#day = calendar.dayAt(this.#day.end)
      }
      if (startAt + lengthMs <= this.#day.start) continue
      this.#output.put({ device, day, rollup: null, old: stored.rollup, closesAt: Infinity })
      if (events > 0) this.#spans.push({ from: startAt, to: startAt + lengthMs - 1 })
    }
    this.#spans.sort((one, other) => one.from - other.from)
  }

  #storedBefore() {
    return storedBefore((day) => this.#output.nextStored(this.#context.device, day, -1), this.#day)
  }

  #startDay(before: DeviceDay | null): void {
    this.#entersAlive = before !== null && this.#isAlive(before, this.#day.start)
    this.#fold.startDay(this.#day)
  }

  #isAlive(before: DeviceDay, instant: number): boolean {
    return isAlive(before, instant, this.#context.settings.silenceLimitMs)
  }

  /** Folds the device's events of one UTC day, `order[from]` up to before `order[to]`. */
  async take(events: DayEvents, from: number, to: number, utcDay: number): Promise<void> {
    const midnight = utcDay * millisecondsInDay
    const instantOf = (index: number): number => midnight + events.at[events.order[index]]
    let index = from
    while (index < to && !this.done) {
      const at = instantOf(index)
      if (at >= this.#day.end) {
        await this.#endDay()
      } else if (at < this.#day.start) {
        index++ // Of a day before the first one due, or of one that the cursor has passed over.
      } else {
        const start = index
        while (index < to && instantOf(index) < this.#day.end) index++
        this.#fold.fold(events, start, index, from, midnight)
      }
    }
  }

  /** Ends all days that end by an instant: no event before it follows any more. */
  async advanceTo(instant: number): Promise<void> {
    while (!this.done && this.#day.end <= instant) await this.#endDay()
  }

  async #endDay(): Promise<void> {
    const { device, calendar, windowEnd, moved } = this.#context
    const rollup = this.#fold.finishDay()
    if (this.#gap) {
      this.#gap = false
      const first = calendar.dayAt(this.#day.end)
      await this.#goTo(first.start, first, rollup, false)
      return
    }
    const stored = await this.#output.stored(device, this.#day.day)
    const counts = rollup.events > 0 || this.#entersAlive
    if (counts || stored !== null) {
      const { day, closesAt } = this.#day
      this.#output.put({ device, day, rollup: counts ? rollup : null, old: stored, closesAt })
    }
    const following = calendar.dayAt(this.#day.end)
    const span = this.#spans.find(({ to }) => to >= following.start)
    const unchanged = !moved && stored !== null && !isOpen(stored) && sameCarriedState(stored, rollup)
    const from = unchanged ? (span?.from ?? null) : await this.#nextStart(rollup, following, span)
    if (from === null) {
      this.done = true
    } else if (from >= windowEnd) {
      this.#output.stillDue(device, from)
      this.done = true
    } else {
      await this.#goTo(from, following, rollup, unchanged)
    }
  }

  /** Goes on with the following day, or past the days without change to a later one. */
  async #goTo(from: number, following: LocalDay, rollup: DeviceDay, unchanged: boolean): Promise<void> {
    this.#day = from < following.end ? following : this.#context.calendar.dayAt(from)
    const before = unchanged && this.#day !== following ? ((await this.#storedBefore())?.rollup ?? null) : rollup
    if (before !== rollup) this.#fold.resume(before)
    this.#startDay(before)
  }

  /** Where a changed state has to be taken up next: on the following day, or later where nothing happens before. */
  async #nextStart(rollup: DeviceDay, following: LocalDay, span: Span | undefined): Promise<number | null> {
    if (following.start <= this.#context.now && this.#isAlive(rollup, following.start)) return following.start
    const stored = await this.#nextStoredStart()
    const starts = [span?.from ?? null, stored].filter((start) => start !== null)
    return starts.length === 0 ? null : Math.max(following.start, Math.min(...starts))
  }

  /** First instant of the next stored day, or null; of a moved device all of them were cleared. */
  async #nextStoredStart(): Promise<number | null> {
    if (this.#context.moved) return null
    const following = await this.#output.nextStored(this.#context.device, this.#day.day, 1)
    return following === null ? null : following.rollup.startAt
  }
}

/** Whether a carried power state still counts at an instant (RULES.md 3, silence). */
export const isAlive = ({ power, lastHeardAt }: DeviceDay, instant: number, silenceLimitMs: number): boolean =>
  power !== Power.unknown && lastHeardAt + silenceLimitMs > instant

/** The day of the first due instant, or the first one after it of which all raw events are there. */
function firstWholeDay({ calendar, due, purgedBefore }: CursorContext): LocalDay {
  let day = calendar.dayAt(Math.max(due[0].from, purgedBefore))
  while (day.start < purgedBefore) day = calendar.dayAt(day.end)
  return day
}

/** Where the device is meant to stand, for instants that never decrease. */
export function positionFinder({
  placements,
  standIn,
}: Pick<CursorContext, 'placements' | 'standIn'>): (at: number) => Position | null {
  if (placements.length === 0) return () => standIn
  if (placements.length === 1) return () => placements[0]
  return (at) => placementAt(placements, at) ?? null
}
