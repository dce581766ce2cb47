import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { gatherDayEvents, placesOf } from '../rollup/day-events.ts'
import type { Calendars } from '../rollup/local-day.ts'
import type { RollupRoles, RollupSettings } from '../rollup/rollup-request.ts'
import { requireRules } from '../rollup/rules.ts'
import type { ArchiveReads, DamagedEvents } from '../store/archive.ts'
import { isOf } from '../store/damaged-events.ts'
import type { Repair } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import { type ChunkDevices, ChunkStart } from './chunk-devices.ts'
import { type ChunkScope, DATES_OFF, isWhole, readScope } from './chunk-scope.ts'
import { DeviceStates, differentState } from './device-states.ts'
import { DueEvents } from './due-events.ts'
import { Findings } from './findings.ts'
import { RepairPlan } from './repair-plan.ts'
import type { VerifyResult, VerifyTask } from './verify-task.ts'
import { checkWeeks } from './week-check.ts'

/**
 * Computes the rollups of some blocks from their raw events and compares them with the stored ones. All reads see one
 * state of the store, even while events land and are rolled up. Writes nothing. Holds one UTC day of the devices'
 * events in memory, and some days of their rollups. A day that is not compacted is read for the whole shard.
 *
 * @throws CoolerError `other-rules`
 */
export function verifyChunk(
  stores: RollupRoles,
  settings: RollupSettings,
  calendars: Calendars,
  task: VerifyTask,
): Promise<VerifyResult> {
  return stores.snapshot(async (view) => {
    const chunk = await Chunk.run(view, settings, calendars, task, null)
    return chunk.findings.result
  })
}

/**
 * Verifies in the same way, makes wrong days due, and deletes anything the rollup cannot start from. Returns false,
 * and writes nothing, if a rollup of the shard has committed in the meantime.
 */
export async function repairChunk(
  stores: RollupRoles,
  settings: RollupSettings,
  calendars: Calendars,
  task: VerifyTask,
): Promise<boolean> {
  const repair = await stores.snapshot(async (view): Promise<Repair | null> => {
    const plan = new RepairPlan()
    const { scope } = await Chunk.run(view, settings, calendars, task, plan)
    return plan.finish(view, settings, calendars, scope)
  })
  return repair === null || stores.rollups.repair(repair)
}

class Chunk {
  readonly scope: ChunkScope
  readonly findings: Findings
  readonly #archive: ArchiveReads
  readonly #devices: ChunkDevices
  /** Devices some of whose raw events cannot be read. */
  readonly #lost = new Set<number>()
  readonly #placeOf: (device: number) => number
  /** Null if not all events are read. */
  readonly #states: DeviceStates | null

  private constructor(archive: ArchiveReads, scope: ChunkScope, findings: Findings, devices: ChunkDevices) {
    this.#archive = archive
    this.scope = scope
    this.findings = findings
    this.#devices = devices
    this.#placeOf = placesOf(
      devices.walked.map(({ device }) => device),
      scope.shards,
    )
    this.#states = isWhole(scope) ? new DeviceStates(devices.walked.length) : null
  }

  static async run(
    view: StoreView,
    settings: RollupSettings,
    calendars: Calendars,
    task: VerifyTask,
    plan: RepairPlan | null,
  ): Promise<Chunk> {
    await requireRules(view.rollups, settings)
    const scope = await readScope(view, task)
    const due = new DueEvents(view, task.shard)
    const findings = new Findings(scope, task.most, due, plan)
    // Reported once for each shard, because the devices of unreadable events are unknown.
    if (task.blocks[0] === 0) {
      for (const utcDay of await due.damagedDays()) findings.rawDamaged(0, task.shard, utcDay)
    }
    const devices = await new ChunkStart(view, settings, calendars, scope, findings).blocks(task.blocks)
    const chunk = new Chunk(view.archive, scope, findings, devices)
    await chunk.#walk()
    await chunk.#compareBefore(Infinity)
    chunk.#compareStates()
    await checkWeeks(view.rollups, scope, task.blocks, findings)
    return chunk
  }

  async #walk(): Promise<void> {
    const { walked, firstAt } = this.#devices
    let utcDay = Math.max(0, utcDayOf(firstAt))
    while (utcDay <= this.scope.to + DATES_OFF) {
      const next = walked.every(({ walk }) => walk.done) ? null : await this.#archive.nextDay(this.scope.shard, utcDay)
      if (!walked.some(({ walk }) => walk.isUnderWay)) {
        if (next === null) return
        utcDay = next
      }
      for (const block of this.#devices.blocks) await block.load(utcDay + DATES_OFF)
      for (const { walk } of walked) walk.advanceTo(utcDay * millisecondsInDay)
      if (next === utcDay) await this.#takeDay(utcDay)
      await this.#compareBefore(utcDay - DATES_OFF)
      utcDay++
    }
  }

  async #takeDay(utcDay: number): Promise<void> {
    const { walked } = this.#devices
    const devices = walked.filter(({ walk }) => !walk.done).map(({ device }) => device)
    const segments = await this.#archive.eventsOfDay(this.scope.shard, utcDay, {
      devices,
      which: 'rolled-up',
      onDamaged: (damage) => this.#giveUp(damage),
    })
    const events = gatherDayEvents(segments, this.#placeOf, walked.length)
    for (const [place, { walk }] of walked.entries()) {
      walk.take(events, events.starts[place], events.starts[place + 1], utcDay)
    }
    this.#states?.take(events, utcDay, segments, this.#placeOf)
  }

  /** Leaves out the devices that may have had damaged events; all others had no event on that day. */
  #giveUp(damage: DamagedEvents): void {
    for (const { device, block, slot, check, walk } of this.#devices.walked) {
      const isAffected = isOf(damage, device, this.scope.shards) && check.mayHaveEvents(slot, damage.utcDay)
      if (walk.done || !isAffected) continue
      walk.stop()
      check.giveUp(slot)
      this.#lost.add(device)
      this.findings.rawDamaged(block, device, damage.utcDay)
    }
  }

  async #compareBefore(day: number): Promise<void> {
    for (const block of this.#devices.blocks) {
      if (day === Infinity) await block.load(day)
      await block.compareBefore(day)
    }
  }

  #compareStates(): void {
    if (this.#states === null) return
    for (const [place, { device, block }] of this.#devices.walked.entries()) {
      if (this.#lost.has(device)) continue
      const computed = this.#states.of(place)
      const isDamaged = this.#devices.damagedStates.has(device)
      const fields = isDamaged ? {} : differentState(this.#devices.states.get(device) ?? null, computed)
      if (fields !== null) this.findings.state(block, device, fields, computed)
    }
  }
}
