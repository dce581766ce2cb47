import { EXCEPTION_NAMES } from '../../base/exceptions.ts'
import { type Calendar, Calendars, dayOfDate, type LocalDay, zonesOf } from '../../rollup/local-day.ts'
import { BLOCK_DEVICES } from '../../store/codec/block-codec.ts'
import type { BlockColumns } from '../../store/codec/block-columns.ts'
import { type DeviceDay, emptyDeviceDay, isOpen } from '../../store/device-day.ts'
import type { RollupReads } from '../../store/rollup-store.ts'
import { STATISTIC_NAMES } from '../../store/statistics.ts'
import { TOTALS_OF_DEVICE, type Totals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import { type AbsentDay, isKnown, silentDay } from '../described-day.ts'
import type { DescriptionSettings } from '../device-days.ts'
import { EXCEPTION_STATISTICS, exceptionBits } from '../exceptions.ts'
import { LastHeard } from '../last-heard.ts'
import { blocksOf } from './blocks-of.ts'
import type { Fleet } from './fleet.ts'
import { FleetTotals } from './fleet-totals.ts'

/** What is known of a device in a range, as a number. */
export const Known = { nothing: 0, settled: 1, provisional: 2 } as const

export interface TableRange {
  /** Epoch days, both included; at most 31. */
  fromDay: number
  toDay: number
  /** Epoch ms. */
  now: number
}

const READ = [...EXCEPTION_STATISTICS, 'lengthMs', 'closesAfterMs'] as const
const FIELDS = READ.map((name) => STATISTIC_NAMES.indexOf(name))
const EXCEPTIONS = EXCEPTION_NAMES.length

/**
 * What a list of the fleet shows of each device in a range of local days, as columns. The n-th value of a column is of
 * the device `devices[n]`.
 */
export class FleetTable {
  readonly fleet: Fleet
  readonly range: TableRange
  /** Places in the fleet, ascending, of all devices that were not retired before the range. */
  readonly devices: Int32Array
  /** Totals, and where those of each device begin. */
  totals: Totals = new Float64Array(0)
  readonly places: Int32Array
  /** See Known. */
  readonly known: Uint8Array
  readonly offMs: Float64Array
  readonly unknownMs: Float64Array
  /** Last event up to the end of the range, epoch ms; 0 before the first. */
  readonly lastHeardAt: Float64Array
  readonly #exceptionDays: Uint8Array
  /** Bit n is set if the n-th day of the range has a rollup. */
  readonly #present: Int32Array
  readonly #slots: ReturnType<typeof blocksOf>
  readonly #settings: DescriptionSettings
  readonly #calendars: Calendars
  readonly #localDays = new Map<Calendar, (LocalDay | null)[]>()
  readonly #values = READ.map(() => new Float64Array(BLOCK_DEVICES))
  readonly #day = emptyDeviceDay()

  private constructor(fleet: Fleet, shards: number, range: TableRange, settings: DescriptionSettings) {
    this.fleet = fleet
    this.range = range
    this.#settings = settings
    this.#calendars = new Calendars(settings)
    this.devices = Int32Array.from(fleet.ids.keys()).filter((place) => range.fromDay <= fleet.retiredDay[place])
    this.#slots = blocksOf(fleet.numbers, this.devices, shards)
    this.places = this.#slots.slots.map((slot) => slot * TOTALS_OF_DEVICE)
    const { length } = this.devices
    this.known = new Uint8Array(length)
    this.offMs = new Float64Array(length)
    this.unknownMs = new Float64Array(length)
    this.lastHeardAt = new Float64Array(length)
    this.#present = new Int32Array(length)
    this.#exceptionDays = new Uint8Array(length * EXCEPTIONS)
  }

  /** Reads the table of a fleet. @throws CoolerError `store-damaged` */
  static async read(
    view: Pick<StoreView, 'rollups'>,
    fleet: Fleet,
    range: TableRange,
    settings: DescriptionSettings,
  ): Promise<FleetTable> {
    const table = new FleetTable(fleet, view.rollups.shards, range, settings)
    await table.#addRows(view.rollups)
    await table.#addSilence(view.rollups)
    return table
  }

  /** Returns on how many days of the range a device has the n-th of EXCEPTION_NAMES. */
  exceptionDays(index: number, nth: number): number {
    return this.#exceptionDays[index * EXCEPTIONS + nth]
  }

  /** Returns a day of the range of a device; null for a date that its zones skip. */
  localDay(index: number, day: number): LocalDay | null {
    const calendar = this.#calendars.of(zonesOf(this.fleet.placements(this.devices[index]), this.#settings.defaultZone))
    let days = this.#localDays.get(calendar)
    if (days === undefined) this.#localDays.set(calendar, (days = []))
    const nth = day - this.range.fromDay
    const known = days[nth]
    return known === undefined ? (days[nth] = dayOfDate(calendar, day)) : known
  }

  async #addRows(rollups: RollupReads): Promise<void> {
    const { fromDay, toDay } = this.range
    const { blocks, slots } = this.#slots
    const totals = new FleetTotals(blocks.length)
    const indexes = new Int32Array(blocks.length * BLOCK_DEVICES).fill(-1)
    for (const [index, slot] of slots.entries()) indexes[slot] = index
    const nthOf = new Map(blocks.map(({ shard, block }, nth) => [block * rollups.shards + shard, nth]))
    for (const shard of new Set(blocks.map((block) => block.shard))) {
      for (const { block, day, body } of await rollups.blocksOfShard(shard, fromDay, toDay)) {
        const nth = nthOf.get(block * rollups.shards + shard)
        if (nth === undefined) continue
        const devices = indexes.subarray(nth * BLOCK_DEVICES, (nth + 1) * BLOCK_DEVICES)
        totals.add({ bytes: body, shard, block, days: [day] }, nth, (columns) =>
          this.#addDay(columns, devices, day - fromDay),
        )
      }
    }
    this.totals = totals.values
  }

  /** Adds the rollups of a block on the n-th day; `indexes` has the device of each slot, -1 for none. */
  #addDay(columns: BlockColumns, indexes: Int32Array, nth: number): void {
    for (const [at, values] of this.#values.entries()) {
      values.fill(0)
      columns.addTo(values, 0, 1, FIELDS[at])
    }
    for (let rank = 0; rank < columns.count; rank++) {
      const slot = columns.slots[rank]
      const index = indexes[slot]
      if (index < 0) continue
      for (let at = 0; at < READ.length; at++) this.#day[READ[at]] = this.#values[at][slot]
      this.#present[index] |= 1 << nth
      this.#note(index, this.#day)
    }
  }

  #note(index: number, day: DeviceDay): void {
    this.known[index] = Math.max(this.known[index], isOpen(day) ? Known.provisional : Known.settled)
    this.offMs[index] += day.offMs
    this.unknownMs[index] += day.passedMs - day.onMs - day.offMs
    this.lastHeardAt[index] = Math.max(this.lastHeardAt[index], day.lastHeardAt)
    this.#noteExceptions(index, day)
  }

  #noteExceptions(index: number, day: DeviceDay): void {
    const bits = exceptionBits(day, this.#settings.exceptions)
    for (let nth = 0; nth < EXCEPTIONS; nth++) if (bits & (1 << nth)) this.#exceptionDays[index * EXCEPTIONS + nth]++
  }

  /** Adds the days without a rollup: those on which nothing was heard, and nothing is known of the power any more. */
  async #addSilence(rollups: RollupReads): Promise<void> {
    const { fromDay, toDay, now } = this.range
    const whole = (2 ** (toDay - fromDay + 1) - 1) | 0
    const partial = [...this.devices.keys()].filter((index) => this.#present[index] !== whole)
    const numberOf = (index: number): number => this.fleet.numbers[this.devices[index]]
    const states = await rollups.states(partial.map(numberOf))
    const heard = new LastHeard(rollups)
    const rolledUpAt = new Map<number, number | null>()
    for (const index of partial) {
      const device = numberOf(index)
      const shard = device % rollups.shards
      if (!rolledUpAt.has(shard)) rolledUpAt.set(shard, await rollups.lastRollupAt(shard))
      const state = states.get(device)
      for (let day = fromDay; day <= toDay; day++) {
        if (this.#present[index] & (1 << (day - fromDay))) continue
        const local = this.localDay(index, day)
        const absent = {
          local,
          rolledUpAt: rolledUpAt.get(shard) ?? null,
          firstHeardAt: state?.firstHeardAt ?? null,
          lastHeardAt: await heard.before(device, day, local, state),
          now,
        }
        this.#noteAbsent(index, absent)
      }
    }
  }

  #noteAbsent(index: number, absent: AbsentDay): void {
    this.lastHeardAt[index] = Math.max(this.lastHeardAt[index], absent.lastHeardAt ?? 0)
    const silence = silentDay(absent)
    if (silence === null) return
    if (isKnown(absent)) this.#note(index, silence)
    else this.#noteExceptions(index, silence)
  }
}
