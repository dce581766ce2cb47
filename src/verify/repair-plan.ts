import { utcDayOf } from '../base/time.ts'
import { type Calendars, dayOfDate, FURTHEST_DATES, type LocalDay, zonesOf } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import type { Block } from '../store/codec/block-codec.ts'
import { type DeviceDay, isOpen, sameFigures } from '../store/device-day.ts'
import type { Cause, Revision } from '../store/revision.ts'
import type { DeviceState, FurtherDue, Repair } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import type { SlotDifference } from './block-check.ts'
import { type ChunkScope, DATES_OFF, devicesOfBlock, EARLIEST_DAY } from './chunk-scope.ts'

const CAUSES: readonly Cause[] = ['manual']

/**
 * Collects the changes that repair the differences found. Days that differ become due: the next rollup computes them
 * again, and later days as far as the carried state changes. Figures that people may have read are kept as a revision.
 * Anything the rollup cannot start from is deleted first: unreadable rows, superfluous days, and days with bounds or
 * values that no rollup has.
 */
export class RepairPlan {
  readonly #rows: { block: number; day: number }[] = []
  readonly #weeks: { block: number; week: number }[] = []
  /** Days (epoch days) around which rows are kept, by block. */
  readonly #kept = new Map<number, number[]>()
  readonly #changes: Repair['changes'] = new Map()
  readonly #states = new Map<number, DeviceState | null>()
  readonly #due: FurtherDue[] = []
  readonly #revisions: Revision[] = []

  different({ device, block, slot, day, stored, computed }: SlotDifference, isRegistered: boolean): void {
    if (computed !== null) this.#isDue(device, computed.startAt)
    if (stored === null || (computed !== null && isLike(stored, computed))) return
    this.#slotsOf(block, day).set(slot, null)
    const wasSettled = isRegistered && hasIntegers(stored) && !isOpen(stored)
    if (wasSettled && !sameFigures(stored, computed)) this.#revisions.push({ device, day, causes: CAUSES, old: stored })
  }

  unreadable(row: { block: number; day: number }): void {
    this.#rows.push(row)
  }

  /** Plans to remove the sums of a week; the upkeep makes them again. */
  wrongWeek(week: { block: number; week: number }): void {
    this.#weeks.push(week)
  }

  /** Keeps the block's rows around a day (epoch day), because the day cannot be computed again. */
  keepRow(block: number, day: number): void {
    const days = this.#kept.get(block) ?? []
    this.#kept.set(block, [...days, day])
  }

  #isKept({ block, day }: { block: number; day: number }): boolean {
    return this.#kept.get(block)?.some((kept) => Math.abs(kept - day) <= DATES_OFF) ?? false
  }

  /** Plans to write a row again, which gives it the right bytes. A stored -0, which no rollup makes, equals 0. */
  misformed({ block, day, right }: { block: number; day: number; right: Block }): void {
    const slots = this.#slotsOf(block, day)
    for (const [slot, rollup] of right.entries()) if (rollup !== null) slots.set(slot, rollup)
  }

  state(device: number, computed: DeviceState | null): void {
    this.#states.set(device, computed)
  }

  #slotsOf(block: number, day: number): Map<number, DeviceDay | null> {
    let days = this.#changes.get(block)
    if (!days) this.#changes.set(block, (days = new Map()))
    let slots = days.get(day)
    if (!slots) days.set(day, (slots = new Map()))
    return slots
  }

  #isDue(device: number, at: number): void {
    this.#due.push({ device, fromAt: at, toAt: at, causes: CAUSES })
  }

  /** Returns the repair, or null if nothing can be repaired. Call it in the snapshot from which everything was read. */
  async finish(
    stores: StoreView,
    settings: RollupSettings,
    calendars: Calendars,
    scope: ChunkScope,
  ): Promise<Repair | null> {
    const unreadable: { block: number; day: number }[] = []
    for (const row of this.#rows) {
      if (this.#isKept(row)) continue
      const days = await daysOfRow(stores, settings, calendars, scope, row)
      // Raw events of all its days are gone, so keep the row: it is the only copy, and may be recovered one day.
      if (days.length > 0 && days.every(({ local }) => local.start < scope.purgedBefore)) continue
      unreadable.push(row)
      for (const { device, local } of days) if (local.start >= scope.purgedBefore) this.#isDue(device, local.start)
    }
    const sizes = [this.#weeks.length, unreadable.length, this.#changes.size, this.#states.size, this.#due.length]
    if (sizes.every((size) => size === 0)) return null
    const { shard, version, now } = scope
    const [changes, states, due, revisions] = [this.#changes, this.#states, this.#due, this.#revisions]
    return { shard, version, now, unreadable, weeks: this.#weeks, changes, states, due, revisions }
  }
}

/** Tells whether a wrong rollup may stay until the next rollup overwrites it. */
const isLike = (stored: DeviceDay, computed: DeviceDay): boolean =>
  hasIntegers(stored) && stored.startAt === computed.startAt && stored.lengthMs === computed.lengthMs

const hasIntegers = (day: DeviceDay): boolean => Object.values(day).every(Number.isSafeInteger)

/** Returns the local days of a block's devices on the date of a row; empty if no event can have that date. */
async function daysOfRow(
  { registry }: StoreView,
  { defaultZone }: RollupSettings,
  calendars: Calendars,
  scope: ChunkScope,
  { block, day }: { block: number; day: number },
): Promise<{ device: number; local: LocalDay }[]> {
  if (day < EARLIEST_DAY || day > utcDayOf(scope.now) + 1 + FURTHEST_DATES) return []
  const devices = devicesOfBlock(scope, block).filter((device) => device !== null)
  const placements = await registry.placements(devices)
  return devices.flatMap((device) => {
    const local = dayOfDate(calendars.of(zonesOf(placements.get(device) ?? [], defaultZone)), day)
    return local === null ? [] : [{ device, local }]
  })
}
