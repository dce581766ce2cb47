import { millisecondsInDay } from '../base/time.ts'
import type { Placement } from '../event/placement.ts'
import { type Calendar, type Calendars, FURTHEST_DATES, type LocalDay, zonesOf } from '../rollup/local-day.ts'
import type { RollupSettings } from '../rollup/rollup-request.ts'
import { BLOCK_DEVICES } from '../store/codec/block-codec.ts'
import { type DeviceDay, isOpen } from '../store/device-day.ts'
import { type DeviceState, deviceAt } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import { BlockCheck, type Slot } from './block-check.ts'
import { CarriedIn } from './carried-in.ts'
import { type ChunkScope, devicesOfBlock, isWhole } from './chunk-scope.ts'
import { DeviceWalk, type WalkBegin, type WalkOutput } from './device-walk.ts'
import type { Findings } from './findings.ts'

/** A device whose days are computed, and the block in which they are compared. */
export interface WalkedDevice {
  device: number
  block: number
  slot: number
  check: BlockCheck
  walk: DeviceWalk
}

export interface ChunkDevices {
  blocks: BlockCheck[]
  /** Ascending by device number. */
  walked: WalkedDevice[]
  /** The stored states of the walked devices, except damaged ones. */
  states: Map<number, DeviceState>
  damagedStates: Set<number>
  /** The earliest instant from which events are needed, epoch ms; -Infinity if all are. */
  firstAt: number
}

/** Prepares the devices of a chunk, so that their days can be walked through. */
export class ChunkStart {
  readonly #stores: StoreView
  readonly #settings: RollupSettings
  readonly #calendars: Calendars
  readonly #scope: ChunkScope
  readonly #findings: Findings
  readonly #chunk: ChunkDevices = {
    blocks: [],
    walked: [],
    states: new Map(),
    damagedStates: new Set(),
    firstAt: Infinity,
  }
  #placements = new Map<number, Placement[]>()

  constructor(
    stores: StoreView,
    settings: RollupSettings,
    calendars: Calendars,
    scope: ChunkScope,
    findings: Findings,
  ) {
    this.#stores = stores
    this.#settings = settings
    this.#calendars = calendars
    this.#scope = scope
    this.#findings = findings
  }

  async blocks(numbers: readonly number[]): Promise<ChunkDevices> {
    const { result } = this.#findings
    const looked = numbers.flatMap((block) => this.#devicesOf(block)).filter((device) => device !== null)
    const computed = looked.filter((device) => !this.#scope.due.has(device))
    result.devices += looked.length
    result.dueDevices += looked.length - computed.length
    this.#placements = await this.#stores.registry.placements(computed)
    const { damagedStates } = this.#chunk
    this.#chunk.states = await this.#stores.rollups.states(computed, (device) => damagedStates.add(device))
    for (const block of numbers) await this.#startBlock(block)
    this.#chunk.walked.sort((one, other) => one.device - other.device)
    return this.#chunk
  }

  /** Returns the requested devices of a block by slot; null for the other slots. */
  #devicesOf(block: number): (number | null)[] {
    const { selected } = this.#scope
    return devicesOfBlock(this.#scope, block).map((device) =>
      device === null || (selected !== null && !selected.has(device)) ? null : device,
    )
  }

  async #startBlock(block: number): Promise<void> {
    const { rollups } = this.#stores
    const { shard, shards, from, to, times, selected, due } = this.#scope
    const slots = new Array<Slot | null>(BLOCK_DEVICES).fill(null)
    const check = new BlockCheck({ rollups, shard, block, times, from, to, slots }, this.#findings)
    const carriedIn = new CarriedIn(rollups, shard, block)
    /** Unreadable rows before the compared days: by day, the devices whose carried state cannot be read. */
    const hidden = new Map<number, number[]>()
    for (const [slot, device] of this.#devicesOf(block).entries()) {
      if (device === null && selected === null) {
        slots[slot] = { device: deviceAt({ shard, block, slot }, shards), isRegistered: false, firstDay: -Infinity }
      }
      if (device === null || due.has(device)) continue
      if (this.#chunk.damagedStates.has(device) && !isWhole(this.#scope)) {
        this.#findings.stateLost(block, device)
        slots[slot] = { device, isRegistered: true, firstDay: Infinity }
        continue
      }
      const calendar = this.#calendars.of(zonesOf(this.#placements.get(device) ?? [], this.#settings.defaultZone))
      const begin = await this.#beginOf(device, calendar, carriedIn, slot)
      if (begin !== null && 'unreadable' in begin) {
        if (begin.unreadable < from) hidden.set(begin.unreadable, [...(hidden.get(begin.unreadable) ?? []), device])
        else slots[slot] = { device, isRegistered: true, firstDay: Infinity }
        continue
      }
      const firstDay = begin === null || this.#scope.purgedBefore === 0 ? -Infinity : begin.day.day
      slots[slot] = { device, isRegistered: true, firstDay }
      if (begin !== null) await check.load(begin.day.day)
      const walk = this.#walk(device, calendar, begin, outputOf(check, slot))
      this.#chunk.walked.push({ device, block, slot, check, walk })
      this.#chunk.firstAt = Math.min(this.#chunk.firstAt, begin?.day.start ?? -Infinity, begin?.gapFrom ?? -Infinity)
    }
    for (const [day, devices] of hidden) this.#findings.unreadable({ block, day, devices })
    this.#chunk.blocks.push(check)
  }

  /** Returns where a device's walk begins; null to compute all days from the device's first event on. */
  async #beginOf(
    device: number,
    calendar: Calendar,
    carriedIn: CarriedIn,
    slot: number,
  ): Promise<WalkBegin | { unreadable: number } | null> {
    const { from, purgedBefore } = this.#scope
    if (from === -Infinity && purgedBefore === 0) return null
    let whole = calendar.dayAt(purgedBefore)
    if (whole.start < purgedBefore) whole = calendar.dayAt(whole.end)
    if (purgedBefore > 0) whole = await carriedIn.behindKept(slot, whole, calendar, purgedBefore)
    if (purgedBefore === 0 || from > whole.day) {
      let day = calendar.dayAt(Math.max(whole.start, (from - FURTHEST_DATES) * millisecondsInDay))
      while (day.day < from) day = calendar.dayAt(day.end)
      const carried = await carriedIn.into(slot, day)
      return 'unreadable' in carried ? carried : this.#begin(day, carried.before, day.start)
    }
    const carried = await carriedIn.into(slot, whole)
    if ('unreadable' in carried) return carried
    const heardAt = this.#chunk.states.get(device)?.firstHeardAt ?? Infinity
    const knownTo = carried.before === null ? heardAt : carried.before.startAt + carried.before.lengthMs
    // State carried across purged events cannot be recomputed; take it from the first stored day after them.
    const behind = knownTo < purgedBefore ? await carriedIn.outOf(slot, whole) : null
    if (behind === null) return this.#begin(whole, carried.before, Math.max(purgedBefore, knownTo))
    const day = calendar.dayAt(behind.startAt + behind.lengthMs)
    return this.#begin(day, behind, day.start)
  }

  #begin(day: LocalDay, before: DeviceDay | null, gapFrom: number): WalkBegin {
    return { day, before, asOfBefore: this.#asOfBefore(before, day), gapFrom }
  }

  #walk(device: number, calendar: Calendar, begin: WalkBegin | null, output: WalkOutput): DeviceWalk {
    const placements = this.#placements.get(device) ?? []
    // A walk from the first event on finds the earliest fix by itself.
    const standIn = begin === null ? null : (this.#chunk.states.get(device)?.firstFix ?? null)
    return new DeviceWalk(
      { calendar, placements, standIn, settings: this.#settings, to: this.#scope.to },
      output,
      begin,
    )
  }

  /** Returns the instant as of which the days before `day` were rolled up, as far as it is known; epoch ms. */
  #asOfBefore(before: DeviceDay | null, day: LocalDay): number {
    if (before === null || before.startAt + before.lengthMs < day.start) return this.#scope.times.last
    return isOpen(before) ? before.startAt + before.passedMs : Infinity
  }
}

const outputOf = (check: BlockCheck, slot: number): WalkOutput => ({
  comparable: (day) => check.comparable(slot, day),
  isStored: (day) => check.isStored(slot, day),
  put: (day, rollup, isNeeded) => check.put(slot, day.day, rollup, isNeeded),
})
