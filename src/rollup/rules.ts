import { CoolerError } from '../base/errors.ts'
import { zoneName } from '../base/zone.ts'
import { isOlderZoneData, RUNTIME_ZONES, type ZoneData } from '../base/zone-clock.ts'
import type { Registry } from '../store/registry.ts'
import type { RollupStore } from '../store/rollup-store.ts'
import type { RollupSettings } from './rollup-request.ts'

/** To be raised with every change of the rules after which the same events may give other figures. */
const RULES_VERSION = 2

/** Returns all that the figures of a store depend on besides its events and placements, as the text that a store keeps. */
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

/** The stores that rules are adopted in. */
export interface RuledStores {
  rollups: RollupStore
  registry: Pick<Registry, 'zones'>
}

/** Which days became due: those of every device, or of the devices in these zones. */
export type Adopted = 'nothing' | 'all' | { zones: readonly string[] }

/**
 * Makes these settings and this time zone data the rules of the store. Where other settings were, every day becomes due
 * whose raw events are still there; where only the time zone data changed, the days of the zones that it changed. A store
 * without rules takes them, and nothing becomes due.
 *
 * @throws CoolerError `other-rules` where the store is rolled up with newer time zone data
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
 * Records the clocks of zones that devices have come to since the rules were adopted, so that newer time zone data makes
 * only the zones due that it changes. Does nothing where the store has other rules.
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
 * A store is rolled up by one set of rules at a time: two that took turns would compute everything again and again.
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

/** Reads the release of the time zone database in a store's rules; '' where they name none. */
export function zoneDataOf(rules: string): string {
  const { timeZoneData } = parse(rules)
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

/** Whether two different rules are the same but for their time zone data. */
const differInZoneData = (one: string, other: string): boolean => withoutZoneData(one) === withoutZoneData(other)

function withoutZoneData(rules: string): string {
  const { timeZoneData: _, ...rest } = parse(rules)
  return JSON.stringify(rest)
}

/** The rules in a store's file may be anything; no program of ours wrote what cannot be read. */
function parse(rules: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(rules) }
  } catch {
    return { rules }
  }
}

/** A placement that names no zone, and a device without placements, are in the default zone. */
const nameOf = (zone: string, { defaultZone }: RollupSettings): string =>
  zoneName(zone === '' ? defaultZone : zone) ?? zone

async function zonesInUse(registry: RuledStores['registry'], settings: RollupSettings): Promise<string[]> {
  return [...new Set(['', ...(await registry.zones())].map((zone) => nameOf(zone, settings)))]
}

/** The zones as placements spell them, '' among them where the default zone is one. */
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
