import { type DeviceLimit, isWithin } from '../../base/device-limit.ts'
import { EXCEPTION_NAMES, type ExceptionName } from '../../base/exceptions.ts'
import { labelOf } from '../../base/labels.ts'
import { FIGURE_NAMES, FIGURES, type FigureName, type Figures, finalise } from '../../rollup/figures/figures.ts'
import { addTotals, newTotals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import type { DayStatus } from '../day-status.ts'
import { dailyFigures } from './daily-figures.ts'
import { FleetCells, type FleetLine } from './fleet-cells.ts'
import type { FleetPoint } from './fleet-map.ts'
import { isLabelOrder, type LabelOrder, labelKeyOf, type OrderName } from './fleet-order.ts'
import { FleetSlices } from './fleet-slices.ts'
import { type FleetTable, Known, type TableRange } from './fleet-table.ts'
import { type FixOfDay, LastFixes } from './last-fixes.ts'

/** Which devices of a fleet to list. */
export interface FleetSelection {
  /** Only devices with this text in their id or address, in upper or lower case. */
  search?: string | undefined
  /** Only devices placed in this IANA zone. */
  timezone?: string | undefined
  /** Only devices with all of these labels; of two with one key, none has both. */
  labels?: readonly (readonly [key: string, value: string])[] | undefined
  /** Only devices with this exception, or with any, on a day of the range. */
  exception?: ExceptionName | 'any' | undefined
  status?: DayStatus | undefined
  /** Selects devices whose value of this figure is unknown. */
  unknown?: FigureName | undefined
}

export interface FleetListTask extends TableRange, FleetSelection {
  within: DeviceLimit | null
  sort: OrderName
  descending: boolean
  offset: number
  limit: number
  /** A figure that each row is to have for each day. */
  daily?: FigureName | undefined
}

/** A device of a list. */
export interface FleetRow extends FleetLine {
  lastFix: FixOfDay | null
  /** The figure asked for, on each day. */
  daily?: (number | null)[]
}

/** Sums over the selected devices, whatever their exceptions, status and unknown figures. */
export interface FleetSums {
  devices: number
  exceptions: Record<ExceptionName | 'any', number>
  status: Record<'provisional' | 'settled' | 'none', number>
  /** Counts, for each figure, the devices whose value is unknown. */
  unknown: Partial<Record<FigureName, number>>
  /** The figures of all these devices together: sums, means over all readings, extremes. */
  figures: Figures
}

/** The devices that a request selects, in its order, and how they are shown. */
export class FleetPage {
  /** Indexes in the table. */
  readonly indexes: Int32Array
  readonly sums: FleetSums
  /** Number of devices that the caller may see. */
  visible = 0
  /** The keys of their labels, in order. */
  labelKeys: string[] = []
  readonly #table: FleetTable
  readonly #task: FleetListTask
  readonly #cells: FleetCells

  constructor(table: FleetTable, task: FleetListTask, defaultZone: string) {
    this.#table = table
    this.#task = task
    this.#cells = new FleetCells(table, task, defaultZone)
    const selected = this.#selected()
    this.sums = this.#sumsOf(selected)
    this.indexes = this.#sorted(selected.filter((index) => this.#matches(index)))
  }

  /** Returns where the devices that match are meant to stand. Devices without a placement have no point. */
  points(): FleetPoint[] {
    return [...this.indexes].map((index) => this.#cells.point(index)).filter((point) => point !== null)
  }

  #selected(): Int32Array {
    const { within, search = '', timezone, labels = [] } = this.#task
    const keys = new Set<string>()
    const wanted = search.trim().toLowerCase()
    const isSelected = (index: number): boolean => {
      const own = this.#cells.labels(index)
      if (labels.some(([key, value]) => labelOf(own, key) !== value)) return false
      if (wanted === '' && timezone === undefined) return true
      const placement = this.#cells.placement(index)
      if (timezone !== undefined && this.#cells.zone(placement) !== timezone) return false
      return (
        this.#cells.id(index).toLowerCase().includes(wanted) ||
        (placement?.address ?? '').toLowerCase().includes(wanted)
      )
    }
    const selected = Int32Array.from(this.#table.devices.keys()).filter((index) => {
      if (!isWithin(within, this.#cells.id(index))) return false
      this.visible++
      for (const key in this.#cells.labels(index)) keys.add(key)
      return isSelected(index)
    })
    this.labelKeys = [...keys].sort()
    return selected
  }

  #matches(index: number): boolean {
    const { exception, status, unknown } = this.#task
    if (exception !== undefined && !this.#cells.hasException(index, exception)) return false
    if (status !== undefined && this.#cells.status(index) !== (status === 'revised' ? 'settled' : status)) return false
    return unknown === undefined || this.#cells.figure(index, unknown) === null
  }

  #sumsOf(selected: Int32Array): FleetSums {
    const exceptions = Object.fromEntries(
      [...EXCEPTION_NAMES, 'any'].map((name) => [name, 0]),
    ) as FleetSums['exceptions']
    const status = { provisional: 0, settled: 0, none: 0 }
    const unknown: FleetSums['unknown'] = Object.fromEntries(NULLABLE.map((name) => [name, 0]))
    const { totals, places } = this.#table
    const together = newTotals(1)
    for (const index of selected) {
      status[this.#cells.status(index)]++
      let any = false
      for (const [nth, name] of EXCEPTION_NAMES.entries()) {
        if (this.#table.exceptionDays(index, nth) === 0) continue
        exceptions[name]++
        any = true
      }
      if (any) exceptions.any++
      for (const name of NULLABLE)
        if (this.#cells.figure(index, name) === null) unknown[name] = (unknown[name] ?? 0) + 1
      addTotals(together, 0, totals, places[index])
    }
    return { devices: selected.length, exceptions, status, unknown, figures: finalise(together, 0) }
  }

  /** Sorts by the values of a column, unknown ones last in either direction; equal ones stay in the order of the ids. */
  #sorted(indexes: Int32Array): Int32Array {
    const { sort, descending } = this.#task
    if (sort === 'id') return descending ? indexes.reverse() : indexes
    const values = this.#orderValues(indexes, sort)
    const sign = descending ? -1 : 1
    return indexes.sort((one, other) => {
      const [a, b] = [values[one], values[other]]
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || one - other
      return sign * (a - b) || one - other
    })
  }

  #orderValues(indexes: Int32Array, sort: Exclude<OrderName, 'id'>): Float64Array {
    const values = new Float64Array(this.#table.devices.length)
    if (isLabelOrder(sort)) {
      const key = labelKeyOf(sort) as string
      const texts = [...indexes].map((index) => labelOf(this.#cells.labels(index), key))
      const ranks = new Map([...new Set(texts)].sort(byUnits).map((text, rank) => [text, rank]))
      for (const [nth, text] of texts.entries())
        values[indexes[nth]] = text === null ? Number.NaN : (ranks.get(text) as number)
    } else {
      for (const index of indexes) values[index] = this.#orderValue(index, sort) ?? Number.NaN
    }
    return values
  }

  #orderValue(index: number, sort: Exclude<OrderName, 'id' | LabelOrder>): number | null {
    const table = this.#table
    if (sort === 'lastHeardAt') return table.lastHeardAt[index] || null
    if (sort === 'exceptions') return EXCEPTION_NAMES.reduce((sum, _, nth) => sum + table.exceptionDays(index, nth), 0)
    if (sort === 'hoursOff' || sort === 'hoursUnknown') {
      if (table.known[index] === Known.nothing) return null
      return sort === 'hoursOff' ? table.offMs[index] : table.unknownMs[index]
    }
    return this.#cells.figure(index, sort)
  }

  /** Returns devices, given as indexes in the table, as the list shows them. */
  async rows(view: Pick<StoreView, 'archive' | 'rollups'>, indexes: Int32Array): Promise<FleetRow[]> {
    const revised = await this.#revised(view, indexes)
    const numbers = [...indexes].map((index) => this.#cells.number(index))
    const days = [...indexes].map((index) => this.#table.localDay(index, this.#task.toDay))
    const fixes = await new LastFixes(view).of(numbers, days)
    const daily = this.#task.daily && (await dailyFigures(view, numbers, this.#task, this.#task.daily))
    return [...indexes].map((index, nth) => ({
      ...this.#cells.line(index, revised.has(numbers[nth])),
      lastFix: fixes[nth],
      ...(daily ? { daily: daily[nth] } : {}),
    }))
  }

  /** Returns all devices that match, in order, but for their last fixes, which only raw events have. */
  async slices(view: Pick<StoreView, 'rollups'>): Promise<FleetSlices> {
    return new FleetSlices(this.#cells, this.indexes, await this.#revised(view, this.indexes))
  }

  /** Returns the numbers of the devices that have a revised day in the range. */
  async #revised({ rollups }: Pick<StoreView, 'rollups'>, indexes: Int32Array): Promise<Set<number>> {
    const { fromDay, toDay } = this.#task
    const revised = new Set<number>()
    for (let from = 0; from < indexes.length; from += DEVICES_A_READ) {
      const numbers = [...indexes.subarray(from, from + DEVICES_A_READ)].map((index) => this.#cells.number(index))
      for (const number of (await rollups.revisedDays(numbers, fromDay, toDay)).keys()) revised.add(number)
    }
    return revised
  }
}

/** Devices whose revisions are read at once. */
const DEVICES_A_READ = 10_000

/** Compares texts by UTF-16 unit. */
const byUnits = (one: string | null, other: string | null): number =>
  one === other ? 0 : (one ?? '') < (other ?? '') ? -1 : 1

/** The figures that can be unknown. */
const NULLABLE = FIGURE_NAMES.filter((name) => 'nullWhen' in FIGURES[name])
