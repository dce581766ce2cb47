import type { Placement } from '../raw/placement.ts'
import { END_OF_TIME, type RawStore } from '../raw/raw-store.ts'
import type { Registry } from '../raw/registry.ts'
import { decodeBlock } from '../summary/block-codec.ts'
import type { DeviceDay } from '../summary/device-day.ts'
import {
  type BlockRow,
  type DeviceState,
  deviceAt,
  isOpen,
  placeOf,
  type ReportStore,
  type RollupCommit,
} from '../summary/report-store.ts'
import { millisecondsInDay, utcDayOf } from '../time.ts'
import { gatherDayEvents, UNWANTED } from './day-events.ts'
import { DeviceCursor, type Span } from './device-cursor.ts'
import type { FoldSettings } from './device-fold.ts'
import { type Calendar, Calendars, type Daytime } from './local-day.ts'
import { mergeState, type Seen, SeenEvents } from './seen-events.ts'
import { StoredRollups } from './stored-rollups.ts'

export interface RollupSettings extends FoldSettings {
  /** Zone of a placement that names none, and of a device without one. */
  defaultZone: string
  daytime: Daytime
}

export interface RollupStores {
  raw: RawStore
  registry: Registry
  report: ReportStore
  /** Runs reads that all see one state of the store. */
  snapshot<Result>(reads: () => Promise<Result>): Promise<Result>
}

export interface RollupRequest {
  /** Instant of the rollup, epoch ms: days that are not over count up to it. */
  now: number
  /** Computes days that are not over again, up to `now`. */
  refresh?: boolean
  /** Computes these local days (epoch days, both ends counted) again, due or not. */
  days?: { from: number; to: number }
}

export interface RollupResult {
  deviceDays: number
  events: number
  passes: number
}

/** UTC days that one pass takes up at most: it bounds the memory of a pass after a long time without rollups. */
const WINDOW_DAYS = 8

/** Beyond this many devices their placements are read with all the others of the shard. */
const FEW_DEVICES = 500

/**
 * Computes everything that is due of one shard (DESIGN.md 4): the days of newly landed events, of devices whose
 * placement changed, and those that were not over at their last rollup and are now. What is due is cleared in the
 * transaction that stores the results; what lands meanwhile stays due.
 */
export async function rollUpShard(
  stores: RollupStores,
  shard: number,
  settings: RollupSettings,
  request: RollupRequest,
): Promise<RollupResult> {
  const calendars = new Calendars(settings.daytime)
  const result = { deviceDays: 0, events: 0, passes: 0 }
  let asked = request
  for (;;) {
    const pass = await stores.snapshot(() => ShardPass.run(stores, shard, settings, calendars, asked))
    if (pass === null) return result
    // Another rollup of this shard committed meanwhile: what it did not do is still due.
    if (!(await stores.report.commit(pass.commit))) continue
    result.passes++
    result.deviceDays += pass.deviceDays
    result.events += pass.events
    asked = { now: request.now }
  }
}

interface Due {
  spans: Span[]
  moved: boolean
  /** Stored days among them. */
  rows: StoredRow[]
}

interface StoredRow {
  device: number
  day: number
  rollup: DeviceDay
}

class ShardPass {
  readonly commit: RollupCommit
  deviceDays = 0
  events = 0
  readonly #stores: RollupStores
  readonly #settings: RollupSettings
  readonly #calendars: Calendars
  readonly #request: RollupRequest
  readonly #due = new Map<number, Due>()
  readonly #seen = new SeenEvents()
  #windowEnd = 0

  private constructor(
    stores: RollupStores,
    shard: number,
    version: number,
    settings: RollupSettings,
    calendars: Calendars,
    request: RollupRequest,
  ) {
    this.#stores = stores
    this.#settings = settings
    this.#calendars = calendars
    this.#request = request
    this.commit = {
      shard,
      version,
      now: request.now,
      changes: new Map(),
      states: new Map(),
      doneSegments: [],
      doneDevices: [],
      furtherDue: [],
    }
  }

  /** Null where nothing is due. */
  static async run(
    stores: RollupStores,
    shard: number,
    settings: RollupSettings,
    calendars: Calendars,
    request: RollupRequest,
  ): Promise<ShardPass | null> {
    const version = await stores.report.version(shard)
    const pass = new ShardPass(stores, shard, version, settings, calendars, request)
    if (!(await pass.#plan())) return null
    await pass.#compute()
    return pass
  }

  // ------------------------------------------------------------------ what is due

  async #plan(): Promise<boolean> {
    const { raw, report } = this.#stores
    const { shard } = this.commit
    const segments = await raw.dueSegments(shard)
    const devices = await raw.dueDevices(shard)
    const rows = await this.#rowsToRepeat()
    if (segments.length === 0 && devices.length === 0 && rows.length === 0) return false
    const known = await report.states([...new Set(devices.map(({ device }) => device))])
    // Nothing of a device is due before it was first heard, and nothing at all of one that never was.
    const starts = devices.flatMap((entry) => {
      const state = known.get(entry.device)
      return state ? [{ ...entry, fromAt: Math.max(entry.fromAt, state.firstHeardAt) }] : []
    })
    const earliest = Math.min(
      ...[segments[0]?.utcDay ?? Infinity],
      starts.reduce((least, { fromAt }) => Math.min(least, utcDayOf(fromAt)), Infinity),
      rows.reduce((least, { rollup }) => Math.min(least, utcDayOf(rollup.startAt)), Infinity),
    )
    this.#windowEnd = earliest === Infinity ? Infinity : (earliest + WINDOW_DAYS) * millisecondsInDay
    await this.#planSegments(segments.filter(({ utcDay }) => utcDay * millisecondsInDay < this.#windowEnd))
    const later = new Set<number>()
    for (const { id, device, fromAt, toAt } of starts) {
      if (fromAt >= this.#windowEnd) later.add(id)
      else this.#addDue(device, { from: fromAt, to: toAt })
    }
    this.commit.doneDevices = devices.map(({ id }) => id).filter((id) => !later.has(id))
    for (const row of rows) this.#planRow(row)
    return true
  }

  /** Stored days that are to be computed once more: closed by now, open (where refreshed), or asked for. */
  async #rowsToRepeat(): Promise<StoredRow[]> {
    const { report } = this.#stores
    const { shard } = this.commit
    const { now, refresh, days } = this.#request
    const until = refresh ? Infinity : now
    const closes = (day: DeviceDay): boolean => isOpen(day) && day.startAt + day.lengthMs <= until
    const open = rowsOf(await report.openBlocks(shard, until), shard, report.shards).filter(({ rollup }) =>
      closes(rollup),
    )
    return days === undefined
      ? open
      : [...open, ...rowsOf(await report.blocksOfShard(shard, days.from, days.to), shard, report.shards)]
  }

  #planRow(row: StoredRow): void {
    const { device, rollup } = row
    const span = { from: rollup.startAt, to: rollup.startAt }
    if (span.from < this.#windowEnd) this.#addDue(device, span).rows.push(row)
    else this.commit.furtherDue.push({ device, fromAt: span.from, toAt: span.to })
  }

  async #planSegments(segments: readonly { id: number; utcDay: number }[]): Promise<void> {
    for (const { id, utcDay } of segments) {
      const [columns] = await this.#stores.raw.segments([id])
      this.#seen.add(columns, utcDay)
    }
    this.commit.doneSegments = segments.map(({ id }) => id)
    for (const [device, { spans }] of this.#seen.devices) for (const span of spans) this.#addDue(device, span)
  }

  #addDue(device: number, { from, to }: Span): Due {
    let due = this.#due.get(device)
    if (!due) this.#due.set(device, (due = { spans: [], moved: false, rows: [] }))
    if (to === END_OF_TIME) due.moved = true
    due.spans.push({ from, to: to === END_OF_TIME ? from : to })
    return due
  }

  // ------------------------------------------------------------------ computing

  async #compute(): Promise<void> {
    const { raw } = this.#stores
    const { shard } = this.commit
    const cursors = await this.#startCursors()
    const placeOfDevice = this.#placesOf(cursors.map(({ device }) => device))
    const first = cursors.reduce((least, { cursor }) => Math.min(least, cursor.firstInstant), Infinity)
    const days = first === Infinity ? [] : await raw.daysWithSegments(shard, utcDayOf(first))
    for (const utcDay of days) {
      await advanceAll(cursors, utcDay * millisecondsInDay)
      if (cursors.every(({ cursor }) => cursor.done)) break
      const segments = await raw.segmentsOfDay(shard, utcDay)
      const events = gatherDayEvents(segments, placeOfDevice, cursors.length)
      this.events += events.order.length
      for (const [place, { cursor }] of cursors.entries()) {
        if (!cursor.done) await cursor.take(events, events.starts[place], events.starts[place + 1], utcDay)
      }
    }
    await advanceAll(cursors, Infinity)
  }

  /** The place of each device in the ascending list, or UNWANTED, by a look-up that is cheap for every event. */
  #placesOf(devices: readonly number[]): (device: number) => number {
    const { shards } = this.#stores.raw
    const local = (device: number): number => Math.floor(device / shards)
    const places = new Int32Array(devices.length === 0 ? 0 : local(devices[devices.length - 1]) + 1).fill(UNWANTED)
    for (const [place, device] of devices.entries()) places[local(device)] = place
    return (device) => places[local(device)] ?? UNWANTED
  }

  async #startCursors(): Promise<{ device: number; cursor: DeviceCursor }[]> {
    const devices = [...this.#due.keys()].sort((one, other) => one - other)
    const states = await this.#stores.report.states(devices)
    const placements = await this.#placements(devices)
    const output = this.#output()
    const cursors: { device: number; cursor: DeviceCursor }[] = []
    for (const device of devices) {
      const due = this.#due.get(device) as Due
      const before = states.get(device)
      const seen = this.#seen.devices.get(device)
      const state = seen ? mergeState(before, seen) : before
      if (seen && state) this.commit.states.set(device, state)
      const own = placements.get(device) ?? []
      const calendar = this.#calendars.of(zonesOf(own, this.#settings.defaultZone))
      const moved =
        due.moved || (own.length === 0 && standInMoved(before, seen)) || due.rows.some((row) => !fits(calendar, row))
      const context = {
        device,
        calendar,
        placements: own,
        standIn: state?.firstFix ?? null,
        settings: this.#settings,
        now: this.#request.now,
        windowEnd: moved ? Infinity : this.#windowEnd,
        due: due.spans.sort((one, other) => one.from - other.from),
        moved,
      }
      cursors.push({ device, cursor: await DeviceCursor.start(context, output, before === undefined) })
    }
    return cursors
  }

  #placements(devices: readonly number[]): Promise<Map<number, Placement[]>> {
    const { registry } = this.#stores
    return devices.length > FEW_DEVICES ? registry.placementsOfShard(this.commit.shard) : registry.placements(devices)
  }

  #output() {
    const stored = new StoredRollups(this.#stores.report, this.commit.shard)
    return {
      stored: (device: number, day: number) => stored.on(device, day),
      nextStored: (device: number, day: number, direction: -1 | 1) => stored.next(device, day, direction),
      put: (device: number, day: number, rollup: DeviceDay | null) => this.#put(device, day, rollup),
      stillDue: (device: number, fromAt: number) => void this.commit.furtherDue.push({ device, fromAt, toAt: fromAt }),
    }
  }

  #put(device: number, day: number, rollup: DeviceDay | null): void {
    const { block, slot } = placeOf(device, this.#stores.report.shards)
    const { changes } = this.commit
    let days = changes.get(block)
    if (!days) changes.set(block, (days = new Map()))
    let slots = days.get(day)
    if (!slots) days.set(day, (slots = new Map()))
    slots.set(slot, rollup)
    this.deviceDays++
  }
}

async function advanceAll(cursors: readonly { cursor: DeviceCursor }[], instant: number): Promise<void> {
  for (const { cursor } of cursors) if (!cursor.done) await cursor.advanceTo(instant)
}

function rowsOf(rows: readonly BlockRow[], shard: number, shards: number): StoredRow[] {
  return rows.flatMap(({ block, day, body }) =>
    decodeBlock(body).flatMap((rollup, slot) =>
      rollup === null ? [] : [{ device: deviceAt({ shard, block, slot }, shards), day, rollup }],
    ),
  )
}

/** Whether a stored day is one of the calendar: it is not where the default zone was changed in between. */
function fits(calendar: Calendar, { day, rollup }: StoredRow): boolean {
  const { start, end, day: date } = calendar.dayAt(rollup.startAt)
  return date === day && start === rollup.startAt && end === rollup.startAt + rollup.lengthMs
}

const zonesOf = (placements: readonly Placement[], defaultZone: string): { from: number; zone: string }[] =>
  placements.length === 0
    ? [{ from: 0, zone: defaultZone }]
    : placements.map(({ at, zone }) => ({ from: at, zone: zone === '' ? defaultZone : zone }))

/** Whether an earlier fix than the one that stood in for a placement has landed: every day with a fix is due then. */
function standInMoved(before: DeviceState | undefined, seen: Seen | undefined): boolean {
  if (!before?.firstFix || !seen) return false
  const { firstFix } = mergeState(before, seen)
  return firstFix !== null && (firstFix.lat !== before.firstFix.lat || firstFix.lon !== before.firstFix.lon)
}
