import { CoolerError } from '../base/errors.ts'
import { zoneName } from '../base/zone.ts'
import { isOlderZoneData, RUNTIME_ZONES, type ZoneData } from '../base/zone-clock.ts'
import type { Registry } from '../store/registry.ts'
import type { RollupStore } from '../store/rollup-store.ts'
import type { RollupSettings } from './rollup-request.ts'

/** Raise this with every change of the rules after which the same events may give other figures. */
const RULES_VERSION = 2

/** Returns, as the text kept in the store, all that its figures depend on besides events and placements. */
export const rulesText = (
  { defaultZone, daytime, silenceLimitMs, doorCount }: RollupSettings,
  { version }: Pick<ZoneData, 'version'> = RUNTIME_ZONES,
): string =>
  JSON.stringify({
    version: RULES_VERSION,
    defaultZone,
    daytime: [daytime.startMinute, daytime.endMinute],
    silenceLimitMs,
    doorCount,
    timeZoneData: version,
  })

/** The parts of a store that adopting rules needs. */
export interface RuledStores {
  rollups: RollupStore
  registry: Pick<Registry, 'zones'>
}

/** Which days became due: those of every device, or of the devices in these zones. */
export type Adopted = 'nothing' | 'all' | { zones: readonly string[] }

/**
 * Makes these settings and this time zone data the rules of the store. If the settings changed, every day whose raw
 * events are kept becomes due; if only the time zone data changed, the days of the zones that it changed. In a store
 * without rules nothing becomes due.
 *
 * @throws CoolerError `other-rules` if the store is rolled up with newer time zone data
 */
export async function adoptRules(
  { rollups, registry }: RuledStores,
  settings: RollupSettings,
  now: number,
  data: ZoneData = RUNTIME_ZONES,
): Promise<Adopted> {
  const text = rulesText(settings, data)
  for (;;) {
    const before = await rollups.rules()
    if (before === text) return 'nothing'
    refuseNewerZoneData(before, data)
    const clocks = clocksOf(await zonesInUse(registry, settings), data)
    const due =
      before === null ? [] : differInZoneData(before, text) ? changed(clocks, await rollups.zoneClocks()) : null
    const names = due && (await placedIn(registry, settings, due))
    // Another process may have adopted rules meanwhile: look again.
    if (!(await rollups.adoptRules({ before, text, now, clocks, zones: names }))) continue
    return due === null ? 'all' : due.length === 0 ? 'nothing' : { zones: due }
  }
}

/**
 * Records the clocks of zones that came into use since the rules were adopted, so that newer time zone data makes only
 * the zones due that it changes. Does nothing if the store has other rules.
 */
export async function noteZoneClocks(
  { rollups, registry }: RuledStores,
  settings: RollupSettings,
  data: ZoneData = RUNTIME_ZONES,
): Promise<void> {
  const known = await rollups.zoneClocks()
  const zones = (await zonesInUse(registry, settings)).filter((zone) => !known.has(zone))
  if (zones.length > 0) await rollups.noteZoneClocks(rulesText(settings, data), clocksOf(zones, data))
}

/**
 * Checks that the store has these rules or none: two sets of rules in turn would recompute everything again and again.
 *
 * @throws CoolerError `other-rules`
 */
export async function requireRules(
  rollups: Pick<RollupStore, 'rules'>,
  settings: RollupSettings,
  data: ZoneData = RUNTIME_ZONES,
): Promise<void> {
  const rules = await rollups.rules()
  const own = rulesText(settings, data)
  if (rules === null || rules === own) return
  refuseNewerZoneData(rules, data)
  throw new CoolerError(
    'other-rules',
    `the rollups of this store are made by ${rules}, the settings here are ${own}: use the same, or start the service` +
      ' (or `cooler rollup --adopt`) with these to compute the days again that they change',
  )
}

/** Returns the release of the time zone database named in a store's rules; '' if they name none. */
export function zoneDataOf(rules: string): string {
  const { timeZoneData } = parseRules(rules)
  return typeof timeZoneData === 'string' ? timeZoneData : ''
}

function refuseNewerZoneData(rules: string | null, { version }: ZoneData): void {
  if (rules === null || !isOlderZoneData(version, zoneDataOf(rules))) return
  throw new CoolerError(
    'other-rules',
    `this store is rolled up with time zone data ${zoneDataOf(rules)}, and this process has ${version || 'none'}: it` +
      ' lands and serves, but does not roll up; run it with a newer Node.js',
  )
}

/** Tells whether two different rules differ only in their time zone data. */
const differInZoneData = (one: string, other: string): boolean => withoutZoneData(one) === withoutZoneData(other)

function withoutZoneData(rules: string): string {
  const { timeZoneData: _, ...rest } = parseRules(rules)
  return JSON.stringify(rest)
}

/** Parses a store's rules. Text that cannot be parsed was not written by this program; it becomes one field. */
export function parseRules(rules: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(rules) }
  } catch {
    return { rules }
  }
}

/** Returns the canonical name of a zone; '' is the default zone, for lack of a placement or of a zone in it. */
const nameOf = (zone: string, { defaultZone }: RollupSettings): string =>
  zoneName(zone === '' ? defaultZone : zone) ?? zone

async function zonesInUse(registry: RuledStores['registry'], settings: RollupSettings): Promise<string[]> {
  return [...new Set(['', ...(await registry.zones())].map((zone) => nameOf(zone, settings)))]
}

/** Returns these zones as placements spell them, with '' if the default zone is one of them. */
async function placedIn(
  registry: RuledStores['registry'],
  settings: RollupSettings,
  names: readonly string[],
): Promise<string[]> {
  return ['', ...(await registry.zones())].filter((zone) => names.includes(nameOf(zone, settings)))
}

const clocksOf = (zones: readonly string[], data: ZoneData): Map<string, number> =>
  new Map(zones.map((zone) => [zone, data.fingerprintOf(zone)]))

const changed = (clocks: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): string[] =>
  [...clocks].filter(([zone, clock]) => known.get(zone) !== clock).map(([zone]) => zone)
