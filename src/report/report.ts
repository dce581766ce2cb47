import { type DeviceLimit, isWithin } from '../base/device-limit.ts'
import { plainDegrees } from '../base/rounding.ts'
import { formatWallClock, utcDayOf } from '../base/time.ts'
import { zoneOf } from '../base/zone.ts'
import { type Placement, placementInForce } from '../event/placement.ts'
import { type Figures, finalise } from '../rollup/figures/figures.ts'
import { type BlockBodies, BlockColumns } from '../store/codec/block-columns.ts'
import type { Device, RegistryReads } from '../store/registry.ts'
import type { RollupReads } from '../store/rollup-store.ts'
import { type DeviceState, placeOf } from '../store/rollup-store.ts'
import { addDay, newTotals, TOTALS_OF_DEVICE, type Totals } from '../store/totals.ts'

/** Most days of a range, both ends counted (RULES.md 4). */
export const MOST_DAYS = 31

/** An entry of the daily report (INTERFACE.md 2.2). */
export type DailyEntry = { assertId: string } & Figures

/** An entry of the range summary (INTERFACE.md 2.3); the last three fields are current, independent of the range. */
export type SummaryEntry = DailyEntry & Current

export interface Current {
  location: string | null
  address: string | null
  throwinDate: string | null
}

export interface ReportContext {
  registry: RegistryReads
  rollups: RollupReads
  defaultZone: string
  /** Epoch ms: decides which placement is in force. */
  now: number
  /** The devices that the caller may see; others are treated as unknown. No limit if absent or null. */
  within?: DeviceLimit | null
}

/**
 * Returns the entries of the daily report of one local day (epoch day), in ascending order of `assertId`. `ids` is as
 * in a request: undefined selects all registered devices. For many devices FleetReports is much faster.
 */
export async function dailyEntries(
  context: ReportContext,
  day: number,
  ids?: readonly string[],
): Promise<DailyEntry[]> {
  const devices = await selected(context, day, ids)
  const totals = await totalsOf(context.rollups, devices, day, day)
  return devices.map(({ id }, index) => ({ assertId: id, ...finalise(totals, index * TOTALS_OF_DEVICE) }))
}

/** Returns the entries of the summary over a range of local days (epoch days, both included). */
export const summaryEntries = async (
  context: ReportContext,
  range: { fromDay: number; toDay: number },
  ids?: readonly string[],
): Promise<SummaryEntry[]> => (await summaryOf(context, range, ids)).entries

/** Returns the same entries, and when (epoch ms) another placement next comes into force; they hold until then. */
export async function summaryOf(
  context: ReportContext,
  range: { fromDay: number; toDay: number },
  ids?: readonly string[],
): Promise<{ entries: SummaryEntry[]; until: number }> {
  const devices = await selected(context, range.fromDay, ids)
  const totals = await totalsOf(context.rollups, devices, range.fromDay, range.toDay)
  const numbers = devices.map(({ number }) => number)
  const states = await context.rollups.states(numbers)
  const placements = await context.registry.placements(numbers)
  const entries = devices.map(({ id, number }, index) => ({
    assertId: id,
    ...finalise(totals, index * TOTALS_OF_DEVICE),
    ...current(context, states.get(number), placements.get(number) ?? []),
  }))
  return { entries, until: nextPlacementAt(placements.values(), context.now) }
}

/**
 * Returns the devices of a report, each once, in ascending order of id. Unknown ids are left out. Reports of all
 * devices leave out a retired device on days after its retirement; requested by its id, it has an entry.
 */
async function selected(
  { registry, within }: ReportContext,
  fromDay: number,
  ids?: readonly string[],
): Promise<Device[]> {
  if (ids === undefined) {
    const all = await registry.devices()
    return all.filter(({ id, retiredAt }) => fromDay <= retirementDay(retiredAt) && isWithin(within, id))
  }
  const distinct = [...new Set(ids)].filter((id) => isWithin(within, id)).sort(compareUnits)
  return registry.devicesOf(distinct)
}

/** Returns the last day (epoch day) on which reports of all devices include a device; Infinity if it is in use. */
export const retirementDay = (retiredAt: number | null): number => (retiredAt === null ? Infinity : utcDayOf(retiredAt))

/** Compares strings by UTF-16 code unit. */
const compareUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

async function totalsOf(
  rollups: RollupReads,
  devices: readonly Device[],
  fromDay: number,
  toDay: number,
): Promise<Totals> {
  const totals = newTotals(devices.length)
  const byBlock = new Map<string, { shard: number; block: number; members: { slot: number; index: number }[] }>()
  for (const [index, { number }] of devices.entries()) {
    const { shard, block, slot } = placeOf(number, rollups.shards)
    const key = `${shard} ${block}`
    const group = byBlock.get(key)
    if (group) group.members.push({ slot, index })
    else byBlock.set(key, { shard, block, members: [{ slot, index }] })
  }
  const blocks = [...byBlock.values()]
  await rollups.eachBodies(blocks, fromDay, toDay, (bodies, nth) => addBodies(totals, bodies, blocks[nth].members))
  return totals
}

function addBodies(totals: Totals, bodies: BlockBodies, members: readonly { slot: number; index: number }[]): void {
  const columns = new BlockColumns()
  columns.forEach(bodies, () => {
    for (const { slot, index } of members) {
      const day = columns.dayOf(slot)
      if (day !== null) addDay(totals, index * TOTALS_OF_DEVICE, day)
    }
  })
}

function current(
  { defaultZone, now }: ReportContext,
  state: DeviceState | undefined,
  placements: readonly Placement[],
): Current {
  const fix = state?.lastFix
  const placed = placedAt(placementInForce(placements, now), defaultZone)
  return { ...placed, location: fix ? locationOf(fix) : placed.location, address: fix?.address ?? placed.address }
}

/** Returns where a device is, and since when, by its placement in force alone. */
export const placedAt = (inForce: Placement | undefined, defaultZone: string): Current => ({
  location: inForce ? locationOf(inForce) : null,
  address: inForce?.address ?? null,
  throwinDate: inForce ? wallClock(inForce, defaultZone) : null,
})

const locationOf = ({ lat, lon }: { lat: number; lon: number }): string => `${plainDegrees(lat)},${plainDegrees(lon)}`

/** Returns the first instant (epoch ms) after `now` at which a placement of these devices begins; Infinity if none. */
export function nextPlacementAt(placements: Iterable<readonly Placement[]>, now: number): number {
  let next = Infinity
  for (const own of placements) for (const { at } of own) if (at > now && at < next) next = at
  return next
}

function wallClock({ at, zone }: Placement, defaultZone: string): string {
  return formatWallClock(at + zoneOf(zone === '' ? defaultZone : zone).offsetAt(at))
}
