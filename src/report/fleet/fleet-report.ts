import { type DeviceLimit, isWithin } from '../../base/device-limit.ts'
import { FIGURE_NAMES, FIGURES } from '../../rollup/figures/figures.ts'
import type { FigureStatement } from '../../rollup/figures/statement.ts'
import type { RollupReads } from '../../store/rollup-store.ts'
import { TOTALS_OF_DEVICE, type Totals } from '../../store/totals.ts'
import type { StoreView } from '../../store/view.ts'
import type { Answer } from '../report-cache.ts'
import { versionSince } from '../version-since.ts'
import { blocksOf } from './blocks-of.ts'
import { CurrentWriter, FixesByNumber } from './current-writer.ts'
import type { Fleet, KeptFleet, Part } from './fleet.ts'
import { FleetTotals } from './fleet-totals.ts'
import { appendNth, JsonBytes, Literal, labelOf, type Texts } from './json-bytes.ts'
import { headOf, type ReportName, type ReportPart, TAIL } from './report-parts.ts'

/** A report to make; see ReportTask. */
export interface FleetTask {
  fromDay: number
  toDay: number
  ids?: readonly string[]
  within: DeviceLimit | null
  now: number
  /** The report is to be of this state of the store or of a later one (RollupReads.reportVersion). */
  since?: string
}

export interface FleetAnswer extends Answer {
  bytes: Uint8Array
}

const NULL = new Literal('null')
const COMMA = 0x2c
const CLOSE_BRACE = 0x7d
const END = new Literal(TAIL)
const OPENING = new Literal('{"assertId":')

/** The text before the value of each field; for figures, also their decimals and how to compute them. */
const FIGURES_IN_ORDER: readonly (Pick<FigureStatement, 'finalise' | 'places'> & { label: Literal })[] =
  FIGURE_NAMES.map((name) => ({ label: labelOf(name), finalise: FIGURES[name].finalise, places: FIGURES[name].places }))

/** Estimated bytes of the text of one entry. */
const ENTRY_BYTES = { daily: 224, summary: 352 } as const

type ReadsOfReport = Pick<StoreView, 'registry' | 'rollups'>

/** The entries of a report that is being made. */
interface Entries {
  /** The devices of the entries, as places in the fleet. */
  devices: Int32Array
  until: number
  version: string
  /** Writes the entry of a device, by its index in `devices`. */
  write(out: JsonBytes, index: number): void
}

/**
 * Makes both reports of many devices, byte for byte equal to the JSON of dailyEntries and summaryEntries. Rollups are
 * read and added up as columns (FleetTotals) and written as bytes (JsonBytes). The fleet is kept between reports, and
 * so are the latest fixes.
 */
export class FleetReports {
  readonly #fleet: KeptFleet
  readonly #bytes = new JsonBytes()
  #fixes: { version: string; fixes: FixesByNumber } | null = null

  constructor(fleet: KeptFleet) {
    this.#fleet = fleet
  }

  /** Returns the report of the day `fromDay`. */
  daily(view: ReadsOfReport, task: FleetTask): Promise<FleetAnswer> {
    return this.#whole('daily', view, task)
  }

  /** Returns the summary of a range. */
  summary(view: ReadsOfReport, task: FleetTask): Promise<FleetAnswer> {
    return this.#whole('summary', view, task)
  }

  async #whole(name: ReportName, view: ReadsOfReport, task: FleetTask): Promise<FleetAnswer> {
    const { devices, until, version, write } = await this.#entries(name, view, task, null)
    const out = this.#bytes.begin(devices.length * ENTRY_BYTES[name])
    out.literal(new Literal(headOf(name, task, devices.length)))
    writeAll(out, devices.length, write)
    out.literal(END)
    return { bytes: out.finish(), until, version }
  }

  /** Returns a part of either report; `join` puts the parts together. */
  async part(name: ReportName, view: ReadsOfReport, task: FleetTask, part: Part): Promise<ReportPart> {
    const { devices, until, version, write } = await this.#entries(name, view, task, part)
    const out = this.#bytes.begin(devices.length * ENTRY_BYTES[name])
    writeAll(out, devices.length, write)
    return { bytes: out.finish(), count: devices.length, until, version }
  }

  async #entries(
    name: ReportName,
    { registry, rollups }: ReadsOfReport,
    task: FleetTask,
    part: Part | null,
  ): Promise<Entries> {
    const version = await versionSince(rollups, task)
    const fleet = await this.#fleet.read(registry, part)
    const devices = selected(fleet, task, part)
    const { totals, places } = await this.#totals(rollups, fleet, devices, task)
    const inForce = name === 'summary' ? fleet.inForce(task.now) : null
    const current = inForce && new CurrentWriter(await this.#fixesNow(rollups, version), inForce)
    const write = (out: JsonBytes, index: number): void => {
      writeFigures(out, fleet.idTexts, devices[index], totals, places[index])
      current?.write(out, devices[index], fleet.numbers[devices[index]])
      out.byte(CLOSE_BRACE)
    }
    return { devices, until: inForce?.until ?? Infinity, version, write }
  }

  async #fixesNow(rollups: RollupReads, version: string): Promise<FixesByNumber> {
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
    const { blocks, slots } = blocksOf(numbers, devices, rollups.shards)
    const totals = new FleetTotals(blocks.length)
    await rollups.eachBodies(blocks, fromDay, toDay, (bodies, nth) => totals.add(bodies, nth))
    return { totals: totals.values, places: slots.map((slot) => slot * TOTALS_OF_DEVICE) }
  }
}

/** Writes entries, with commas between them. */
function writeAll(out: JsonBytes, count: number, write: Entries['write']): void {
  for (let index = 0; index < count; index++) {
    if (index > 0) out.byte(COMMA)
    write(out, index)
  }
}

/** Returns the devices of a report, or of a part of it, as places in the fleet; see `selected` in report.ts. */
function selected(fleet: Fleet, { fromDay, ids, within }: FleetTask, part: Part | null): Int32Array {
  const asked = ids === undefined ? null : new Set(ids)
  const places = new Int32Array(fleet.ids.length)
  let count = 0
  const [from, to] = fleet.bounds(part)
  for (let place = from; place < to; place++) {
    const id = fleet.ids[place]
    const isMeant = asked === null ? fromDay <= fleet.retiredDay[place] : asked.has(id)
    if (isMeant && isWithin(within, id)) places[count++] = place
  }
  return places.subarray(0, count)
}

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
