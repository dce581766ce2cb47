import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import type { Placement } from '../event/placement.ts'
import type { DamagedEvents } from '../store/archive.ts'
import { damagedEvents, isOf } from '../store/damaged-events.ts'
import type { Cause } from '../store/revision.ts'
import { type DeviceState, emptyCommit, placeOf, type RollupCommit } from '../store/rollup-store.ts'
import { damagedState } from '../store/state-checksum.ts'
import type { StoreView } from '../store/view.ts'
import type { CursorOutput, CursorResult } from './cursor-context.ts'
import { type DamagedDevices, findDamagedBlocks, leaveDamaged } from './damaged-devices.ts'
import { gatherDayEvents } from './day-events.ts'
import { DeviceCursor } from './device-cursor.ts'
import { aheadOf, type Due, DuePlan, type PlanRequest } from './due-plan.ts'
import { type Calendars, zonesOf } from './local-day.ts'
import { hasMoved } from './moved.ts'
import type { Revisions } from './revisions.ts'
import type { RollupMemory } from './rollup-memory.ts'
import type { RollupRequest, RollupSettings } from './rollup-request.ts'
import { requireRules } from './rules.ts'
import {
  advanceAll,
  type CursorGroup,
  earliest,
  groupsOf,
  type OnFailure,
  type RunningCursor,
  takeAll,
} from './run-cursors.ts'
import { mergeState } from './seen-events.ts'
import { StoredRollups } from './stored-rollups.ts'

/** For more devices than this, the placements of the whole shard are read at once. */
const FEW_DEVICES = 500

/** The parts that a pass is given. The calendars and the damage are shared by all passes over a shard. */
export interface PassParts extends Pick<PlanRequest, 'windowFrom'> {
  calendars: Calendars
  revisions: Revisions
  damaged: DamagedDevices
  memory: RollupMemory
}

/** Computes what is due in one pass over a shard, and holds the results until they are committed. */
export class ShardPass {
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

  /** Epoch ms; see DuePlan. */
  get windowEnd(): number {
    return this.#plan.windowEnd
  }

  /** Whether something that was due when the pass began will still be due after its commit. */
  get isPartial(): boolean {
    return this.#plan.isPartial || this.commit.furtherDue.length > 0
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
    const groups = groupsOf(cursors, archive.shards)
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
      for (const group of groups) await this.#takeDay(group, utcDay, giveUp)
      from = Math.max((utcDay + 1) * millisecondsInDay, earliest(cursors))
    }
    await advanceAll(cursors, Infinity, giveUp)
  }

  async #takeDay({ cursors, placeOf, which }: CursorGroup, utcDay: number, giveUp: OnFailure): Promise<void> {
    const { archive } = this.#view
    const end = (utcDay + 1) * millisecondsInDay
    // A cursor may have skipped days on which nothing changed; their events are not read for it.
    const devices = cursors.filter(({ cursor }) => !cursor.done && cursor.at < end).map(({ device }) => device)
    if (devices.length === 0) return
    const onDamaged = (damage: DamagedEvents): void => {
      for (const device of devices)
        if (isOf(damage, device, archive.shards)) giveUp(device, damagedEvents(this.commit.shard, damage))
    }
    const { known, read, folded } = this.#parts.memory
    read.clear()
    const asked = { devices, which, onDamaged, known, arena: read }
    const segments = await archive.eventsOfDay(this.commit.shard, utcDay, asked)
    const events = gatherDayEvents(segments, placeOf, cursors.length, folded)
    this.events += events.order.length
    await takeAll(cursors, events, utcDay, giveUp)
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
    const isNew = before === undefined && !wasErased && due.rows.length === 0
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
      newFrom: due.afresh ? -Infinity : (seen?.spans[0].from ?? Infinity),
    }
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
