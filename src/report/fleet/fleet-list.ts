import { millisecondsInMinute } from '../../base/time.ts'
import type { StoreView } from '../../store/view.ts'
import type { DescriptionSettings } from '../device-days.ts'
import type { KeptFleet } from './fleet.ts'
import type { FleetMap } from './fleet-map.ts'
import { type FleetListTask, FleetPage, type FleetRow, type FleetSums } from './fleet-page.ts'
import { FleetTable, type TableRange } from './fleet-table.ts'

export interface FleetList {
  /** Number of all devices that the caller may see. */
  devices: number
  /** Number of devices that match. */
  matching: number
  /** The keys of the labels of all devices that the caller may see, in order. */
  labelKeys: string[]
  sums: FleetSums
  rows: FleetRow[]
}

/** Tables kept: those of the day and of the range that somebody looks at. */
const KEPT_TABLES = 2

/** How long a table holds at most: local days begin at multiples of a quarter of an hour. */
const KEPT_MS = 15 * millisecondsInMinute

/** Lists the devices of a fleet in pages. Keeps the last tables, so that further pages of one state are cheap. */
export class FleetLists {
  readonly #fleet: KeptFleet
  readonly #settings: DescriptionSettings
  #tables: { key: string; table: FleetTable }[] = []

  constructor(fleet: KeptFleet, settings: DescriptionSettings) {
    this.#fleet = fleet
    this.#settings = settings
  }

  /** Returns a page of the devices that match. @throws CoolerError `store-damaged` */
  async list(view: Pick<StoreView, 'archive' | 'registry' | 'rollups'>, task: FleetListTask): Promise<FleetList> {
    const page = await this.page(view, task)
    const indexes = page.indexes.subarray(task.offset, task.offset + task.limit)
    return {
      devices: page.visible,
      matching: page.indexes.length,
      labelKeys: page.labelKeys,
      sums: page.sums,
      rows: await page.rows(view, indexes),
    }
  }

  /** Returns what a request selects, in its order. @throws CoolerError `store-damaged` */
  async page(view: Pick<StoreView, 'registry' | 'rollups'>, task: FleetListTask): Promise<FleetPage> {
    return new FleetPage(await this.#table(view, task), task, this.#settings.defaultZone)
  }

  /** Returns where the devices that match are meant to stand. @throws CoolerError `store-damaged` */
  async map(view: Pick<StoreView, 'registry' | 'rollups'>, task: FleetListTask): Promise<FleetMap> {
    const page = await this.page(view, task)
    const points = page.points()
    return { matching: page.indexes.length, unplaced: page.indexes.length - points.length, points }
  }

  async #table(
    view: Pick<StoreView, 'registry' | 'rollups'>,
    { fromDay, toDay, now }: TableRange,
  ): Promise<FleetTable> {
    const version = await view.rollups.reportVersion()
    // Rollups that change no figure still settle silent days, and days before a first event pass by the clock alone.
    const rolledUpAt = await view.rollups.lastRollupAt()
    const key = `${fromDay} ${toDay} ${version} ${rolledUpAt} ${Math.floor(now / KEPT_MS)}`
    const kept = this.#tables.find((one) => one.key === key)
    if (kept !== undefined) return kept.table
    const fleet = await this.#fleet.read(view.registry)
    const table = await FleetTable.read(view, fleet, { fromDay, toDay, now }, this.#settings)
    this.#tables = [{ key, table }, ...this.#tables].slice(0, KEPT_TABLES)
    return table
  }
}
