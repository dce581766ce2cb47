import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import type { Placement } from '../event/placement.ts'
import type { DamagedEvents } from '../store/archive.ts'
import { damagedEvents, isOf } from '../store/damaged-events.ts'
import type { DeviceDay } from '../store/device-day.ts'
import type { Cause } from '../store/revision.ts'
import { type DeviceState, emptyCommit, placeOf, type RollupCommit } from '../store/rollup-store.ts'
import { damagedState } from '../store/state-checksum.ts'
import type { StoreView } from '../store/view.ts'
import type { CursorOutput, CursorResult } from './cursor-context.ts'
import { DamagedDevices, findDamagedBlocks, leaveDamaged } from './damaged-devices.ts'
import { gatherDayEvents, placesOf } from './day-events.ts'
import { DeviceCursor } from './device-cursor.ts'
import { aheadOf, type Due, DuePlan } from './due-plan.ts'
import { Calendars, zonesOf } from './local-day.ts'
import { hasMoved } from './moved.ts'
import { Revisions } from './revisions.ts'
import { RollupMemory } from './rollup-memory.ts'
import type { RollupRequest, RollupResult, RollupRoles, RollupSettings } from './rollup-request.ts'
import { requireRules } from './rules.ts'
import { advanceAll, earliest, type RunningCursor, takeAll } from './run-cursors.ts'
import { mergeState } from './seen-events.ts'
import { StoredRollups } from './stored-rollups.ts'

/** For more devices than this, the placements of the whole shard are read at once. */
const FEW_DEVICES = 500

/**
 * Computes everything that is due in one shard (DESIGN.md 4): the days of newly landed events, the days of devices
 * whose placement changed, and the days that were not over at their last rollup and are over now. Due entries are
 * cleared in the transaction that stores the results; events that land meanwhile stay due.
 *
 * @throws CoolerError `store-damaged`, after everything that can be computed is stored; `other-rules`
 */
export async function rollUpShard(
  stores: RollupRoles,
  shard: number,
  settings: RollupSettings,
  request: RollupRequest,
  memory = new RollupMemory(),
): Promise<RollupResult> {
  const calendars = new Calendars(settings)
  const result = { deviceDays: 0, events: 0, repeats: 0, passes: 0 }
  // Read before the first pass: days that a pass leaves to the next one have not been settled as days without data.
  const lastRollupAt = await stores.rollups.lastRollupAt(shard)
  const damaged = new DamagedDevices()
  let asked = request
  for (;;) {
    const parts = { calendars, revisions: new Revisions(lastRollupAt), damaged, memory }
    const pass = await stores.snapshot((view) => ShardPass.run(view, shard, settings, asked, parts))
    if (pass === null) {
      damaged.report(shard)
      return result
    }
    // Another rollup of this shard committed meanwhile. Plan again: what it did not do is still due.
    if (!(await stores.rollups.commit(pass.commit))) continue
    result.passes++
    for (const rollup of rollupsIn(pass.commit)) {
      result.deviceDays++
      result.repeats += rollup.repeats
    }
    result.events += pass.events
    asked = { now: request.now, ...(request.clock === undefined ? {} : { clock: request.clock }) }
  }
}

/** The parts that a pass is given. The calendars and the damage are shared by all passes over a shard. */
interface PassParts {
  calendars: Calendars
  revisions: Revisions
  damaged: DamagedDevices
  memory: RollupMemory
}

function* rollupsIn({ changes }: RollupCommit): Generator<DeviceDay> {
  for (const days of changes.values())
    for (const slots of days.values()) for (const rollup of slots.values()) if (rollup !== null) yield rollup
}

class ShardPass {
  readonly commit: RollupCommit
  events = 0
  readonly #view: StoreView
  readonly #settings: RollupSettings
  readonly #plan: DuePlan
  readonly #parts: PassParts
  /** Epoch ms at which each device was first heard, as known before this pass. */
  readonly #heardSince = new Map<number, number>()

  private constructor(
    view: StoreView,
    settings: RollupSettings,
    plan: DuePlan,
    commit: RollupCommit,
    parts: PassParts,
  ) {
    this.#view = view
    this.#settings = settings
    this.#plan = plan
    this.commit = commit
    this.#parts = parts
  }

  /** Computes what is due now, without storing it; returns null if nothing is due. */
  static async run(
    view: StoreView,
    shard: number,
    settings: RollupSettings,
    request: RollupRequest,
    parts: PassParts,
  ): Promise<ShardPass | null> {
    const lastAt = (await view.rollups.lastRollupAt(shard)) ?? -Infinity
    const isAhead = lastAt > aheadOf(request.clock?.() ?? request.now)
    // Never roll up as of an earlier instant than the last rollup, unless that one lies in the future.
    const now = isAhead ? request.now : Math.max(request.now, lastAt)
    const commit = emptyCommit(shard, await view.rollups.version(shard), now)
    parts.memory.begin()
    const plan = await DuePlan.make(view, commit, { ...request, now, isAhead, ...parts })
    if (plan === null) return null
    await requireRules(view.rollups, settings)
    const pass = new ShardPass(view, settings, plan, commit, parts)
    await pass.#compute()
    await findDamagedBlocks(view.rollups, commit, parts.damaged)
    leaveDamaged(commit, plan, parts.damaged.devices, view.rollups.shards)
    commit.revisions = parts.revisions.all(parts.damaged.devices)
    return pass
  }

  async #compute(): Promise<void> {
    const { archive } = this.#view
    const { shard } = this.commit
    const cursors = await this.#startCursors()
    const placeOfDevice = placesOf(
      cursors.map(({ device }) => device),
      archive.shards,
    )
    const giveUp = (device: number, error: unknown): void => {
      this.#parts.damaged.add(device, error)
      const lost = cursors.find((one) => one.device === device)
      if (lost) lost.cursor.done = true
    }
    let from = earliest(cursors)
    for (;;) {
      const utcDay: number | null = from === Infinity ? null : await archive.nextDay(shard, utcDayOf(from))
      if (utcDay === null) break
      await advanceAll(cursors, utcDay * millisecondsInDay, giveUp)
      const end = (utcDay + 1) * millisecondsInDay
      // A cursor may have skipped days on which nothing changed; their events are not read for it.
      const devices = cursors.filter(({ cursor }) => !cursor.done && cursor.at < end).map(({ device }) => device)
      if (devices.length > 0) {
        const onDamaged = (damage: DamagedEvents): void => {
          for (const device of devices)
            if (isOf(damage, device, archive.shards)) giveUp(device, damagedEvents(shard, damage))
        }
        const { known, read, folded } = this.#parts.memory
        read.clear()
        const segments = await archive.eventsOfDay(shard, utcDay, { devices, onDamaged, known, arena: read })
        const events = gatherDayEvents(segments, placeOfDevice, cursors.length, folded)
        this.events += events.order.length
        await takeAll(cursors, events, utcDay, giveUp)
      }
      from = Math.max(end, earliest(cursors))
    }
    await advanceAll(cursors, Infinity, giveUp)
  }

  async #startCursors(): Promise<RunningCursor[]> {
    const { damaged } = this.#parts
    const devices = [...this.#plan.due.keys()].sort((one, other) => one - other)
    const states = await this.#view.rollups.states(devices, (device) => damaged.add(device, damagedState(device)))
    const placements = await this.#placements(devices)
    const output = this.#output()
    const cursors: RunningCursor[] = []
    for (const device of devices) {
      if (damaged.devices.has(device)) continue
      try {
        const cursor = await this.#startCursor(device, states.get(device), placements.get(device), output)
        cursors.push({ device, cursor })
      } catch (error) {
        damaged.add(device, error)
      }
    }
    return cursors
  }

  #startCursor(
    device: number,
    before: DeviceState | undefined,
    placements: Placement[] = [],
    output: CursorOutput,
  ): Promise<DeviceCursor> {
    const due = this.#plan.due.get(device) as Due
    const wasErased = due.causes.has('erased')
    if (before !== undefined) this.#heardSince.set(device, before.firstHeardAt)
    // After an erasure it is no longer known when the device was first heard.
    else if (wasErased) this.#heardSince.set(device, Infinity)
    const seen = this.#plan.seen.devices.get(device)
    const state = seen ? mergeState(before, seen) : before
    if (seen && state) this.commit.states.set(device, state)
    const calendar = this.#parts.calendars.of(zonesOf(placements, this.#settings.defaultZone))
    const moved = hasMoved({ due, before, state, placements, calendar })
    const context = {
      device,
      calendar,
      placements,
      standIn: state?.firstFix ?? null,
      settings: this.#settings,
      now: this.commit.now,
      purgedBefore: this.#plan.purgedBefore,
      windowEnd: moved ? Infinity : this.#plan.windowEnd,
      due: due.spans.sort((one, other) => one.from - other.from),
      moved,
    }
    const isNew = before === undefined && !wasErased && due.rows.length === 0
    return DeviceCursor.start(context, output, isNew)
  }

  #placements(devices: readonly number[]): Promise<Map<number, Placement[]>> {
    const { registry } = this.#view
    return devices.length > FEW_DEVICES ? registry.placementsOfShard(this.commit.shard) : registry.placements(devices)
  }

  #output(): CursorOutput {
    return {
      stored: new StoredRollups(this.#view.rollups, this.commit.shard),
      put: (result: CursorResult) => this.#put(result),
      stillDue: (device: number, fromAt: number) => {
        this.commit.furtherDue.push({ device, fromAt, toAt: fromAt, causes: this.#causesOf(device) })
      },
    }
  }

  #causesOf(device: number): readonly Cause[] {
    return [...(this.#plan.due.get(device)?.causes ?? [])].sort()
  }

  #put(result: CursorResult): void {
    const { device, day, rollup } = result
    if (this.#plan.due.get(device)?.causes.has('erased')) this.commit.erasedDays.push({ device, day })
    this.#parts.revisions.note(result, this.#heardSince.get(device), () => this.#causesOf(device))
    const { block, slot } = placeOf(device, this.#view.rollups.shards)
    const { changes } = this.commit
    let days = changes.get(block)
    if (!days) changes.set(block, (days = new Map()))
    let slots = days.get(day)
    if (!slots) days.set(day, (slots = new Map()))
    slots.set(slot, rollup)
  }
}
