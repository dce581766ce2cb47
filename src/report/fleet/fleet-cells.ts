import { EXCEPTION_NAMES, type ExceptionName } from '../../base/exceptions.ts'
import type { Labels } from '../../base/labels.ts'
import { formatInstant, instantOrNull, millisecondsInDay } from '../../base/time.ts'
import { type Placement, placementInForce } from '../../event/placement.ts'
import { FIGURES, type FigureName, type Figures, finalise } from '../../rollup/figures/figures.ts'
import type { DayStatus } from '../day-status.ts'
import { hoursOf } from '../described-day.ts'
import type { FleetPoint } from './fleet-map.ts'
import { type FleetTable, Known, type TableRange } from './fleet-table.ts'
import { degrees } from './last-fixes.ts'

/** A device of a list, but for its last fix. Instants are RFC 3339, positions in decimal degrees. */
export interface FleetLine extends Figures {
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
  labels: Labels
}

/** What a list shows of each device of a table, by its index there. */
export class FleetCells {
  readonly table: FleetTable
  /** The instant whose placements are shown: now, or the end of the range if that is earlier. */
  readonly #placedAt: number
  readonly #defaultZone: string

  constructor(table: FleetTable, { toDay, now }: TableRange, defaultZone: string) {
    this.table = table
    this.#placedAt = Math.min(now, (toDay + 1) * millisecondsInDay)
    this.#defaultZone = defaultZone
  }

  id(index: number): string {
    return this.table.fleet.ids[this.table.devices[index]]
  }

  number(index: number): number {
    return this.table.fleet.numbers[this.table.devices[index]]
  }

  labels(index: number): Labels {
    return this.table.fleet.labels[this.table.devices[index]]
  }

  placement(index: number): Placement | undefined {
    return placementInForce(this.table.fleet.placements(this.table.devices[index]), this.#placedAt)
  }

  zone(placement: Placement | undefined): string {
    return placement?.zone || this.#defaultZone
  }

  hasException(index: number, exception: ExceptionName | 'any'): boolean {
    if (exception !== 'any') return this.table.exceptionDays(index, EXCEPTION_NAMES.indexOf(exception)) > 0
    return EXCEPTION_NAMES.some((_, nth) => this.table.exceptionDays(index, nth) > 0)
  }

  /** Returns the status of a device; one that has been revised counts as settled. */
  status(index: number): 'provisional' | 'settled' | 'none' {
    const known = this.table.known[index]
    return known === Known.nothing ? 'none' : known === Known.provisional ? 'provisional' : 'settled'
  }

  /** Returns a figure times 10^places; null if it is unknown. */
  figure(index: number, name: FigureName): number | null {
    return FIGURES[name].finalise(this.table.totals, this.table.places[index])
  }

  /** Returns where a device is meant to stand; null without a placement. */
  point(index: number): FleetPoint | null {
    const placement = this.placement(index)
    if (placement === undefined) return null
    const exceptions = this.#exceptionDays(index).map(([name]) => name)
    const isKnown = this.figure(index, 'distance') !== null
    return { id: this.id(index), lat: degrees(placement.lat), lon: degrees(placement.lon), exceptions, isKnown }
  }

  /** Returns the exceptions of a device, each with its days. */
  #exceptionDays(index: number): (readonly [ExceptionName, number])[] {
    return EXCEPTION_NAMES.map((name, at) => [name, this.table.exceptionDays(index, at)] as const).filter(
      ([, count]) => count > 0,
    )
  }

  /** Returns all that a list shows of a device, but for its last fix. */
  line(index: number, isRevised: boolean): FleetLine {
    const { known, offMs, unknownMs, lastHeardAt, totals, places } = this.table
    const status = this.status(index)
    const placement = this.placement(index)
    const held = this.#exceptionDays(index)
    return {
      id: this.id(index),
      status: status === 'settled' && isRevised ? 'revised' : status,
      ...finalise(totals, places[index]),
      hoursOff: hoursOf(offMs[index]),
      hoursUnknown: known[index] === Known.nothing ? null : hoursOf(unknownMs[index]),
      lastHeardAt: instantOrNull(lastHeardAt[index] || null),
      exceptions: held.map(([name]) => name),
      exceptionDays: Object.fromEntries(held),
      timezone: this.zone(placement),
      address: placement?.address ?? null,
      placement:
        placement === undefined
          ? null
          : { at: formatInstant(placement.at), lat: degrees(placement.lat), lon: degrees(placement.lon) },
      labels: this.labels(index),
    }
  }
}
