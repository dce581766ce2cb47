import { expect } from 'vitest'
import type { CoolerError } from '../../src/base/errors.ts'
import { formatDay, parseDay } from '../../src/base/time.ts'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import type { Erased, EraseRequest } from '../../src/erase/erase-request.ts'
import { EventBatch } from '../../src/event/event-batch.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { takenFrom } from '../../src/store/archive.ts'
import { decodeBlock } from '../../src/store/codec/block-codec.ts'
import type { DeviceDay } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { deviceAt } from '../../src/store/rollup-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { sumWeeks } from '../../src/upkeep/sum-weeks.ts'
import { dailyEntries, productSettings, reportContext, rollUpAll, summaryEntries } from '../helpers/run-history.ts'
import type { History } from '../reference/arbitraries.ts'
import { dateOfUtc, datesBetween } from '../reference/calendar-date.ts'
import { verified } from '../verify/verify-fixture.ts'
import { type Kept, noteOf, UpkeepModel } from './upkeep-model.ts'

const DAY_MS = 86_400_000
/** Between the numbers of two devices: in a file of 16 shards they are in one. */
const STRIDE = 16
export const DEVICES = ['a', '__proto__', 'B', 'a1']

/** A placement of a change of the registry; its instant is so long before the last one of the history. */
export interface Place {
  zone: string
  lat: number
  earlierMs: number
}

export type Step =
  | { do: 'land'; batch: number; ofImport: number }
  | { do: 'erase'; device: number; earlierMs: number; lengthMs: number; type: keyof Erased['byType'] | null }
  | { do: 'take back'; ofImport: number }
  | { do: 'roll up'; earlierMs: number; refresh: boolean }
  | { do: 'compact'; place: number; days: number }
  | { do: 'prune'; first: boolean; days: number }
  | { do: 'place'; device: number; list: readonly Place[] }
  | { do: 'restart' }

/** A store to which things happen, and beside it what it should hold. */
export class UpkeepRun {
  readonly #open: () => Promise<Store>
  readonly #history: History
  readonly #rollupAtMinute: number
  readonly #model: UpkeepModel
  #store: Store
  /** Stored days of before the bound, by device number and date. */
  #kept = new Map<string, DeviceDay>()
  prunings = 0
  erasures = 0
  /** Of the fixes that have been deleted for their age, the last is not known any more once later ones are erased. */
  #isCurrentKnown = true

  /** Begins with an empty store. @param open opens it, and opens it again */
  static async begin(open: () => Promise<Store>, history: History, rollupAtMinute: number): Promise<UpkeepRun> {
    const run = new UpkeepRun(open, await open(), history, rollupAtMinute)
    await run.#register()
    return run
  }

  private constructor(open: () => Promise<Store>, store: Store, history: History, rollupAtMinute: number) {
    this.#open = open
    this.#store = store
    this.#history = history
    this.#rollupAtMinute = rollupAtMinute
    this.#model = new UpkeepModel(history.settings, history.asOfMs)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async #restart(): Promise<void> {
    await this.#store.close()
    this.#store = await this.#open()
  }

  get #settings() {
    return { ...productSettings(this.#history.settings), rollupAtMinute: this.#rollupAtMinute }
  }

  /** All devices of the history in one shard. */
  async #register(): Promise<void> {
    const batch = new EventBatch()
    for (let number = 0; number <= 3 * STRIDE; number++)
      batch.deviceIndex(number % STRIDE === 0 ? DEVICES[number / STRIDE] : `other ${number}`)
    await this.#store.landing.land(batch, 0)
    for (const id of DEVICES) this.#model.ids.add(id)
  }

  async take(one: Step, batches: readonly (readonly unknown[])[]): Promise<void> {
    const { asOfMs } = this.#history
    if (one.do === 'land') await this.land(batches[one.batch % batches.length], one.ofImport)
    else if (one.do === 'erase') await this.#erase(one)
    else if (one.do === 'take back') await this.#takeBack(one.ofImport)
    else if (one.do === 'roll up') await rollUpAll(this.#store, this.#settings, asOfMs - one.earlierMs, one.refresh)
    else if (one.do === 'compact') await this.#compact(one.place, one.days)
    else if (one.do === 'prune') await this.#prune(one.first, one.days)
    else if (one.do === 'place') await this.#place(DEVICES[one.device], one.list)
    else await this.#restart()
  }

  async land(events: readonly unknown[], ofImport = 0): Promise<void> {
    const bound = takenFrom(await this.#store.archive.purgedBefore())
    const { asOfMs } = this.#history
    const options = { now: () => asOfMs, purgedBefore: () => bound, import: noteOf(ofImport) }
    await new Landing(this.#store.landing, options).land({ events })
    this.#model.land(events, ofImport)
  }

  /** Where the span reaches into purged days, the error says from when on erasing is possible. */
  async #erase({ device, earlierMs, lengthMs, type }: Extract<Step, { do: 'erase' }>): Promise<void> {
    const fromAt = this.#history.asOfMs - earlierMs
    const request = { device: DEVICES[device], fromAt, toAt: fromAt + lengthMs, type }
    try {
      await this.#eraseAll(request)
    } catch (error) {
      if ((error as CoolerError).code !== 'raw-purged') throw error
      request.fromAt = Date.parse((error as Error).message.split('erase from ')[1].split(' ')[0])
      expect(request.fromAt).toBeGreaterThanOrEqual(await this.#store.archive.purgedBefore())
      await this.#eraseAll(request)
    }
    this.#model.erase(request.device, request.fromAt, request.toAt, type)
  }

  async #takeBack(ofImport: number): Promise<void> {
    const outcome = await this.#eraseAll({ import: noteOf(ofImport)?.id ?? '' }).catch((error: CoolerError) => error)
    expect(['not-found', undefined]).toContain('code' in outcome ? outcome.code : undefined)
    this.#model.takeBack(ofImport)
  }

  async #eraseAll(request: EraseRequest): Promise<Erased> {
    const steps = eraseSteps(this.#store)
    const now = this.#history.asOfMs
    const counted = await eraseAll(steps, request, { now, dryRun: true })
    const erased = await eraseAll(steps, request, { now })
    expect({ ...erased, logEmptied: null }).toEqual(counted)
    if (this.prunings > 0 && erased.erased > 0) this.#isCurrentKnown = false
    this.erasures += erased.erased > 0 ? 1 : 0
    return erased
  }

  async #compact(place: number, count: number): Promise<void> {
    const days = await this.#store.archive.daysToCompact(100_000)
    for (let index = 0; index < Math.min(count, days.length); index++) {
      const { shard, utcDay } = days[(place + index) % days.length]
      await compactDay(this.#store.archive, shard, utcDay)
    }
    // Also weeks with days that are not over: whatever changes them must make their sums go.
    for (let shard = 0; shard < this.#store.archive.shards; shard++) await sumWeeks(this.#store.rollups, shard, 100_000)
  }

  async #place(id: string, list: readonly Place[]): Promise<void> {
    const placements = list.map(({ zone, lat, earlierMs: earlier }): Placement => {
      return { at: this.#history.asOfMs - earlier, seq: NO_SEQ, lat, lon: 1e7, zone, address: null }
    })
    await this.#store.registry.put(id, { placements }, this.#history.asOfMs)
    this.#model.put(id, placements)
  }

  /** What a pruning makes final is right at that moment. */
  async #prune(first: boolean, days: number): Promise<void> {
    if (first) await rollUpAll(this.#store, this.#settings, this.#history.asOfMs)
    const stored = await this.#storedDays()
    const before = await this.#store.archive.purgedBefore()
    for (let day = 0; day < days; day++) if ((await this.#store.archive.pruneDay(100_000)) === null) break
    const bound = await this.#store.archive.purgedBefore()
    if (bound === before) return
    this.prunings++
    await this.#expectFigures((startAt) => startAt < bound)
    this.#model.purgedBefore = bound
    this.#kept = new Map([...stored].filter(([, { startAt }]) => startAt < bound))
  }

  async #storedDays(): Promise<Map<string, DeviceDay>> {
    const days = new Map<string, DeviceDay>()
    for (let shard = 0; shard < this.#store.archive.shards; shard++) {
      for (const { block, day, body } of await this.#store.rollups.blocksOfShard(shard, 0, 100_000)) {
        for (const [slot, rollup] of decodeBlock(body, [shard, block, day]).entries())
          if (rollup !== null)
            days.set(`${deviceAt({ shard, block, slot }, this.#store.archive.shards)} ${formatDay(day)}`, rollup)
      }
    }
    return days
  }

  #keptOf(device: number): Kept | undefined {
    const own = [...this.#kept].filter(([key]) => key.startsWith(`${device} `))
    if (own.length === 0) return undefined
    return {
      endAt: Math.max(...own.map(([, { startAt, lengthMs }]) => startAt + lengthMs)),
      lastDate: Math.max(...own.map(([key]) => Number(key.split(' ')[1]))),
    }
  }

  /** The figures of all dates that begin within what is asked for, and what else is stored of before the bound. */
  async #expectFigures(within: (startAt: number) => boolean): Promise<void> {
    const context = reportContext(this.#store, this.#settings, this.#history.asOfMs)
    const stored = await this.#storedDays()
    for (const date of this.dates) {
      const entries = await dailyEntries(context, parseDay(date) as number, DEVICES)
      for (const entry of entries) {
        const device = DEVICES.indexOf(entry.assertId) * STRIDE
        const expected = this.#model.day(entry.assertId, date, this.#keptOf(device))
        if (expected.as === 'figures') {
          const { figures, startAt } = expected
          if (startAt === null || within(startAt)) expect({ date, ...entry }).toEqual({ date, ...figures })
        } else if (expected.as === 'kept' && !this.#kept.has(`${device} ${date}`)) {
          const day = stored.get(`${device} ${date}`)
          if (day === undefined) expect({ date, ...entry }).toMatchObject(EMPTY)
          // A whole day of bounds that it no longer has, before the first one of the bounds by now: it stays.
          else expect(day.startAt).toBeGreaterThanOrEqual(this.#model.purgedBefore)
        }
      }
    }
  }

  async expectAll(): Promise<void> {
    await rollUpAll(this.#store, this.#settings, this.#history.asOfMs, true)
    await this.#expectFigures(() => true)
    const kept = [...(await this.#storedDays())].filter(([, { startAt }]) => startAt < this.#model.purgedBefore)
    expect(new Map(kept)).toEqual(this.#kept)
    expect(await this.#store.due.shards()).toEqual([])
    expect((await verified(this.#store, this.#settings, { now: this.#history.asOfMs })).differences).toEqual([])
    await this.#expectSummary()
  }

  async #expectSummary(): Promise<void> {
    const [first, last] = [this.dates[0], this.dates[this.dates.length - 1]]
    const context = reportContext(this.#store, this.#settings, this.#history.asOfMs)
    const range = { fromDay: parseDay(first) as number, toDay: parseDay(last) as number }
    for (const entry of await summaryEntries(context, range, DEVICES)) {
      if (this.#isCurrentKnown) expect(entry).toMatchObject(this.#model.current(entry.assertId))
      if (this.prunings === 0) expect(entry).toEqual(this.#model.range(entry.assertId, first, last))
    }
  }

  /** All days with an event, one before and enough after for a silence to run out; at most 31. */
  get dates(): number[] {
    const first = Math.min(...this.#model.instants, this.#history.asOfMs)
    return datesBetween(dateOfUtc(first - 2 * DAY_MS), dateOfUtc(first + 28 * DAY_MS))
  }
}

const EMPTY = { visitorCount: 0, openCloseNum: 0, currTemp: null, setTemp: null, powerDuration: 0, distance: null }
