import { type DeviceLimit, isWithin } from '../../base/device-limit.ts'
import { EXCEPTION_NAMES, type ExceptionName } from '../../base/exceptions.ts'
import { formatInstant, instantOrNull, millisecondsInDay } from '../../base/time.ts'
import { type Placement, placementInForce } from '../../event/placement.ts'
import { FIGURE_NAMES, FIGURES, type FigureName, type Figures, finalise } from '../../rollup/figures/figures.ts'
import { addTotals, newTotals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import type { DayStatus } from '../day-status.ts'
import { hoursOf } from '../described-day.ts'
import { dailyFigures } from './daily-figures.ts'
import type { FleetPoint } from './fleet-map.ts'
import type { OrderName } from './fleet-order.ts'
import { type FleetTable, Known, type TableRange } from './fleet-table.ts'
import { degrees, type FixOfDay, LastFixes } from './last-fixes.ts'

/** Which devices of a fleet to list. */
export interface FleetSelection {
  /** Only devices with this text in their id or address, in upper or lower case. */
  search?: string | undefined
  /** Only devices placed in this IANA zone. */
  timezone?: string | undefined
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

/** A device of a list. Instants are RFC 3339, positions in decimal degrees. */
export interface FleetRow extends Figures {
  id: string
  status: DayStatus
  hoursOff: number
  hoursUnknown: number | null
  lastHeardAt: string | null
  exceptions: ExceptionName[]
  exceptionDays: Partial<Record<ExceptionName, number>>
  timezone: string
  address: string | null
  placement: { at: string; lat: number; lon: number } | null
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
  readonly #table: FleetTable
  readonly #task: FleetListTask
  readonly #defaultZone: string

  constructor(table: FleetTable, task: FleetListTask, defaultZone: string) {
    this.#table = table
    this.#task = task
    this.#defaultZone = defaultZone
    const selected = this.#selected()
    this.sums = this.#sumsOf(selected)
    this.indexes = this.#sorted(selected.filter((index) => this.#matches(index)))
  }

  /** Returns where the devices that match are meant to stand. Devices without a placement have no point. */
  points(): FleetPoint[] {
    return [...this.indexes].flatMap((index) => {
      const placement = this.#placement(index)
      if (placement === undefined) return []
      const exceptions = this.#exceptionDays(index).map(([name]) => name)
      const isKnown = this.#figure(index, 'distance') !== null
      return [{ id: this.#id(index), lat: degrees(placement.lat), lon: degrees(placement.lon), exceptions, isKnown }]
    })
  }

  /** Returns the instant whose placements are shown: now, or the end of the range if that is earlier. */
  get #placedAt(): number {
    const { toDay, now } = this.#task
    return Math.min(now, (toDay + 1) * millisecondsInDay)
  }

  #placement(index: number): Placement | undefined {
    return placementInForce(this.#table.fleet.placements(this.#table.devices[index]), this.#placedAt)
  }

  #zone(placement: Placement | undefined): string {
    return placement?.zone || this.#defaultZone
  }

  #id(index: number): string {
    return this.#table.fleet.ids[this.#table.devices[index]]
  }

  #selected(): Int32Array {
    const { within, search = '', timezone } = this.#task
    const wanted = search.trim().toLowerCase()
    const isSelected = (index: number): boolean => {
      if (wanted === '' && timezone === undefined) return true
      const placement = this.#placement(index)
      if (timezone !== undefined && this.#zone(placement) !== timezone) return false
      return this.#id(index).toLowerCase().includes(wanted) || (placement?.address ?? '').toLowerCase().includes(wanted)
    }
    return Int32Array.from(this.#table.devices.keys()).filter((index) => {
      if (!isWithin(within, this.#id(index))) return false
      this.visible++
      return isSelected(index)
    })
  }

  #matches(index: number): boolean {
    const { exception, status, unknown } = this.#task
    if (exception !== undefined && !this.#hasException(index, exception)) return false
    if (status !== undefined && this.#status(index) !== (status === 'revised' ? 'settled' : status)) return false
    return unknown === undefined || this.#figure(index, unknown) === null
  }

  #hasException(index: number, exception: ExceptionName | 'any'): boolean {
    if (exception !== 'any') return this.#table.exceptionDays(index, EXCEPTION_NAMES.indexOf(exception)) > 0
    return EXCEPTION_NAMES.some((_, nth) => this.#table.exceptionDays(index, nth) > 0)
  }

  #status(index: number): 'provisional' | 'settled' | 'none' {
    const known = this.#table.known[index]
    return known === Known.nothing ? 'none' : known === Known.provisional ? 'provisional' : 'settled'
  }

  /** Returns the exceptions of a device, each with its days. */
  #exceptionDays(index: number): (readonly [ExceptionName, number])[] {
    return EXCEPTION_NAMES.map((name, at) => [name, this.#table.exceptionDays(index, at)] as const).filter(
      ([, count]) => count > 0,
    )
  }

  /** Returns a figure times 10^places; null if it is unknown. */
  #figure(index: number, name: FigureName): number | null {
    return FIGURES[name].finalise(this.#table.totals, this.#table.places[index])
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
      status[this.#status(index)]++
      let any = false
      for (const [nth, name] of EXCEPTION_NAMES.entries()) {
        if (this.#table.exceptionDays(index, nth) === 0) continue
        exceptions[name]++
        any = true
      }
      if (any) exceptions.any++
      for (const name of NULLABLE) if (this.#figure(index, name) === null) unknown[name] = (unknown[name] ?? 0) + 1
      addTotals(together, 0, totals, places[index])
    }
    return { devices: selected.length, exceptions, status, unknown, figures: finalise(together, 0) }
  }

  /** Sorts by the values of a column, unknown ones last in either direction; equal ones stay in the order of the ids. */
  #sorted(indexes: Int32Array): Int32Array {
    const { sort, descending } = this.#task
    if (sort === 'id') return descending ? indexes.reverse() : indexes
    const values = new Float64Array(this.#table.devices.length)
    for (const index of indexes) values[index] = this.#orderValue(index, sort) ?? Number.NaN
    const sign = descending ? -1 : 1
    return indexes.sort((one, other) => {
      const [a, b] = [values[one], values[other]]
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || one - other
      return sign * (a - b) || one - other
    })
  }

  #orderValue(index: number, sort: Exclude<OrderName, 'id'>): number | null {
    const table = this.#table
    if (sort === 'lastHeardAt') return table.lastHeardAt[index] || null
    if (sort === 'exceptions') return EXCEPTION_NAMES.reduce((sum, _, nth) => sum + table.exceptionDays(index, nth), 0)
    if (sort === 'hoursOff' || sort === 'hoursUnknown') {
      if (table.known[index] === Known.nothing) return null
      return sort === 'hoursOff' ? table.offMs[index] : table.unknownMs[index]
    }
    return this.#figure(index, sort)
  }

  async rows(view: Pick<StoreView, 'archive' | 'rollups'>, indexes: Int32Array): Promise<FleetRow[]> {
    const { fleet, devices, range, known, offMs, unknownMs, lastHeardAt } = this.#table
    const numbers = [...indexes].map((index) => fleet.numbers[devices[index]])
    const revised = await view.rollups.revisedDays(numbers, range.fromDay, range.toDay)
    const days = [...indexes].map((index) => this.#table.localDay(index, range.toDay))
    const fixes = await new LastFixes(view).of(numbers, days)
    const daily = this.#task.daily && (await dailyFigures(view, numbers, range, this.#task.daily))
    return [...indexes].map((index, nth) => {
      const status = this.#status(index)
      const placement = this.#placement(index)
      const held = this.#exceptionDays(index)
      return {
        id: this.#id(index),
        status: status === 'settled' && revised.has(numbers[nth]) ? 'revised' : status,
        ...finalise(this.#table.totals, this.#table.places[index]),
        hoursOff: hoursOf(offMs[index]),
        hoursUnknown: known[index] === Known.nothing ? null : hoursOf(unknownMs[index]),
        lastHeardAt: instantOrNull(lastHeardAt[index] || null),
        exceptions: held.map(([name]) => name),
        exceptionDays: Object.fromEntries(held),
        timezone: this.#zone(placement),
        address: placement?.address ?? null,
        placement:
          placement === undefined
            ? null
            : { at: formatInstant(placement.at), lat: degrees(placement.lat), lon: degrees(placement.lon) },
        lastFix: fixes[nth],
        ...(daily ? { daily: daily[nth] } : {}),
      }
    })
  }
}

/** The figures that can be unknown. */
const NULLABLE = FIGURE_NAMES.filter((name) => 'nullWhen' in FIGURES[name])
