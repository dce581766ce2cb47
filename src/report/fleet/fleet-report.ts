import { type DeviceLimit, isWithin } from '../../base/device-limit.ts'
import { formatDay } from '../../base/time.ts'
import { FIGURE_NAMES, FIGURES } from '../../rollup/figures/figures.ts'
import type { FigureStatement } from '../../rollup/figures/statement.ts'
import { BLOCK_DEVICES } from '../../store/codec/block-codec.ts'
import type { RegistryReads } from '../../store/registry.ts'
import type { RollupReads } from '../../store/rollup-store.ts'
import { type LastFixes, placeOf } from '../../store/rollup-store.ts'
import { TOTALS_OF_DEVICE, type Totals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import type { Answer } from '../report-cache.ts'
import { Fleet, type InForce, type Texts } from './fleet.ts'
import { FleetTotals } from './fleet-totals.ts'
import { JsonBytes, Literal } from './json-bytes.ts'

/** A report to make; see ReportTask. */
export interface FleetTask {
  fromDay: number
  toDay: number
  ids?: readonly string[]
  within: DeviceLimit | null
  now: number
}

export interface FleetAnswer extends Answer {
  bytes: Uint8Array
}

const NULL = new Literal('null')
const COMMA = 0x2c
const QUOTE = 0x22
const CLOSE_BRACE = 0x7d
const END = new Literal(']}}')

const OPENING = new Literal('{"assertId":')

/** The text before the value of each field; for figures, also their decimals and how to compute them. */
const FIGURES_IN_ORDER: readonly (Pick<FigureStatement, 'finalise' | 'places'> & { label: Literal })[] =
  FIGURE_NAMES.map((name) => ({ label: labelOf(name), finalise: FIGURES[name].finalise, places: FIGURES[name].places }))
const CURRENT = { location: labelOf('location'), address: labelOf('address'), throwinDate: labelOf('throwinDate') }

/** Estimated bytes of the text of one entry. */
const ENTRY_BYTES = { daily: 224, summary: 352 } as const

type ReadsOfReport = Pick<StoreView, 'registry' | 'rollups'>

/**
 * Makes both reports of many devices, byte for byte equal to the JSON of dailyEntries and summaryEntries. Rollups are
 * read and added up as columns (FleetTotals) and written as bytes (JsonBytes). The fleet is kept between reports, and
 * so are the latest fixes.
 */
export class FleetReports {
  readonly #defaultZone: string
  readonly #bytes = new JsonBytes()
  #fleet: { version: number; fleet: Fleet } | null = null
  #fixes: { version: string; fixes: FixesByNumber } | null = null

  constructor(defaultZone: string) {
    this.#defaultZone = defaultZone
  }

  /** Returns the report of the day `fromDay`. */
  async daily({ registry, rollups }: ReadsOfReport, task: FleetTask): Promise<FleetAnswer> {
    const fleet = await this.#fleetNow(registry)
    const devices = selected(fleet, task)
    const { totals, places } = await this.#totals(rollups, fleet, devices, task)
    const out = this.#bytes.begin(devices.length * ENTRY_BYTES.daily)
    const day = formatDay(task.fromDay)
    out.literal(
      new Literal(
        `{"status":200,"message":"OK","data":{"day":${day},"deviceCount":${devices.length},"deviceStatusList":[`,
      ),
    )
    for (let index = 0; index < devices.length; index++) {
      if (index > 0) out.byte(COMMA)
      writeFigures(out, fleet.idTexts, devices[index], totals, places[index])
      out.byte(CLOSE_BRACE)
    }
    out.literal(END)
    return { bytes: out.finish(), until: Infinity }
  }

  /** Returns the summary of a range. */
  async summary({ registry, rollups }: ReadsOfReport, task: FleetTask): Promise<FleetAnswer> {
    const fleet = await this.#fleetNow(registry)
    const devices = selected(fleet, task)
    const { totals, places } = await this.#totals(rollups, fleet, devices, task)
    const inForce = fleet.inForce(task.now)
    const current = new CurrentWriter(await this.#fixesNow(rollups), inForce)
    const out = this.#bytes.begin(devices.length * ENTRY_BYTES.summary)
    out.literal(
      new Literal(`{"status":200,"message":"OK","data":{"deviceCount":${devices.length},"deviceStatusList":[`),
    )
    for (let index = 0; index < devices.length; index++) {
      if (index > 0) out.byte(COMMA)
      writeFigures(out, fleet.idTexts, devices[index], totals, places[index])
      current.write(out, devices[index], fleet.numbers[devices[index]])
      out.byte(CLOSE_BRACE)
    }
    out.literal(END)
    return { bytes: out.finish(), until: inForce.until }
  }

  async #fleetNow(registry: RegistryReads): Promise<Fleet> {
    const version = await registry.version()
    if (this.#fleet?.version !== version) {
      this.#fleet = { version, fleet: await Fleet.read(registry, this.#defaultZone) }
    }
    return this.#fleet.fleet
  }

  async #fixesNow(rollups: RollupReads): Promise<FixesByNumber> {
    const version = await rollups.reportVersion()
    if (this.#fixes?.version !== version) {
      this.#fixes = { version, fixes: new FixesByNumber(await rollups.lastFixes()) }
    }
    return this.#fixes.fixes
  }

  /** Returns the totals of these devices over the task's days (FleetTotals), and where those of each device begin. */
  async #totals(
    rollups: RollupReads,
    { numbers }: Fleet,
    devices: Int32Array,
    { fromDay, toDay }: FleetTask,
  ): Promise<{ totals: Totals; places: Int32Array }> {
    const { shards } = rollups
    const places = new Int32Array(devices.length)
    const blocks: { shard: number; block: number }[] = []
    const begun = new Map<number, number>()
    for (let index = 0; index < devices.length; index++) {
      const { shard, block, slot } = placeOf(numbers[devices[index]], shards)
      const key = block * shards + shard
      let nth = begun.get(key)
      if (nth === undefined) {
        begun.set(key, (nth = blocks.length))
        blocks.push({ shard, block })
      }
      places[index] = (nth * BLOCK_DEVICES + slot) * TOTALS_OF_DEVICE
    }
    const totals = new FleetTotals(blocks.length)
    for (const [nth, { shard, block }] of blocks.entries()) {
      totals.add(await rollups.bodies(shard, block, fromDay, toDay), nth)
    }
    return { totals: totals.values, places }
  }
}

/** Returns the devices of a report as places in the fleet; see `selected` in report.ts. */
function selected(fleet: Fleet, { fromDay, ids, within }: FleetTask): Int32Array {
  const asked = ids === undefined ? null : new Set(ids)
  const places = new Int32Array(fleet.ids.length)
  let count = 0
  for (let place = 0; place < fleet.ids.length; place++) {
    const id = fleet.ids[place]
    const isMeant = asked === null ? fromDay <= fleet.retiredDay[place] : asked.has(id)
    if (isMeant && isWithin(within, id)) places[count++] = place
  }
  return places.subarray(0, count)
}

/** Returns the text before the value of a field that is not the first. */
function labelOf(name: string): Literal {
  return new Literal(`,"${name}":`)
}

const appendNth = (out: JsonBytes, { bytes, starts }: Texts, nth: number): void =>
  out.append(bytes, starts[nth], starts[nth + 1])

/** Writes the id of a device and its figures; its totals begin at `place`. */
function writeFigures(out: JsonBytes, ids: Texts, device: number, totals: Totals, place: number): void {
  out.literal(OPENING)
  appendNth(out, ids, device)
  for (let nth = 0; nth < FIGURES_IN_ORDER.length; nth++) {
    const { label, finalise, places } = FIGURES_IN_ORDER[nth]
    out.literal(label)
    const scaled = finalise(totals, place)
    if (scaled === null) out.literal(NULL)
    else out.decimal(scaled, places)
  }
}

/** The latest fixes of devices, and which of them is of which device. */
class FixesByNumber {
  readonly fixes: LastFixes
  /** By device number, the place of its fix among the fixes, plus 1; 0 if it has no fix. */
  readonly #places: Int32Array

  constructor(fixes: LastFixes) {
    this.fixes = fixes
    this.#places = new Int32Array(fixes.devices.reduce((most, device) => Math.max(most, device), -1) + 1)
    for (let index = 0; index < fixes.devices.length; index++) this.#places[fixes.devices[index]] = index + 1
  }

  /** Returns the place of a device's fix among the fixes; -1 if it has no fix. */
  placeOf(number: number): number {
    return (number < this.#places.length ? this.#places[number] : 0) - 1
  }
}

/** Writes the current fields of devices, which do not depend on the range. */
class CurrentWriter {
  readonly #fixes: FixesByNumber
  readonly #inForce: InForce

  constructor(fixes: FixesByNumber, inForce: InForce) {
    this.#fixes = fixes
    this.#inForce = inForce
  }

  /** @param device place in the fleet */
  write(out: JsonBytes, device: number, number: number): void {
    const { lat, lon, addresses } = this.#fixes.fixes
    const fix = this.#fixes.placeOf(number)
    out.literal(CURRENT.location)
    if (fix < 0) {
      appendNth(out, this.#inForce.location, device)
    } else {
      out.byte(QUOTE)
      out.decimal(lat[fix], 7)
      out.byte(COMMA)
      out.decimal(lon[fix], 7)
      out.byte(QUOTE)
    }
    out.literal(CURRENT.address)
    const address = addresses.get(number)
    if (address === undefined) appendNth(out, this.#inForce.address, device)
    else out.append(Buffer.from(JSON.stringify(address)))
    out.literal(CURRENT.throwinDate)
    appendNth(out, this.#inForce.throwinDate, device)
  }
}
