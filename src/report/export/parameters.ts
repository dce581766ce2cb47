import { formatInstant } from '../../base/time.ts'
import { PRODUCT } from '../../base/version.ts'
import { parseRules } from '../../rollup/rules.ts'
import type { FleetTask } from '../fleet/fleet-report.ts'
import type { Parameter, ReportName } from './report-writer.ts'

/**
 * Returns what a file says about how it was made. `rules` are those of the store, null before the first rollup.
 * `selection` says how the devices were selected, instead of their ids.
 */
export function parametersOf(
  name: ReportName,
  { fromDay, toDay, ids, within, now }: FleetTask,
  deviceCount: number,
  rules: string | null,
  selection?: readonly Parameter[],
): Parameter[] {
  const days: Parameter[] =
    name === 'daily'
      ? [{ name: 'day', value: { epochDay: fromDay }, meaning: 'the day reported' }]
      : [
          { name: 'startDay', value: { epochDay: fromDay }, meaning: 'the first day of the range' },
          { name: 'endDay', value: { epochDay: toDay }, meaning: 'the last day of the range; both end days count' },
        ]
  const all = within === null ? '(all)' : '(all that the API key sees)'
  const asked = ids === undefined ? all : ids.length === 0 ? '(none)' : ids
  return [
    { name: 'report', value: name, meaning: 'daily: the figures of one day; summary: those of a range of days' },
    ...days,
    ...(selection ?? [{ name: 'assertIds', value: asked, meaning: 'the devices that were asked for' }]),
    { name: 'deviceCount', value: deviceCount, meaning: 'devices in the report: unknown ones are left out' },
    ...originParameters(now, rules),
  ]
}

/** Returns what every file says about its making. `now` is epoch ms. */
export const originParameters = (now: number, rules: string | null): Parameter[] => [
  { name: 'madeAt', value: formatInstant(now), meaning: 'when the report was asked for, in UTC' },
  { name: 'product', value: PRODUCT, meaning: 'what made it' },
  ...ruleParameters(rules),
]

const RULE_MEANINGS: Record<string, string> = {
  version: 'of the rules by which figures are computed',
  defaultZone: 'the time zone of a placement that names none',
  daytime: 'the daytime of powerDayDuration, from and to, in minutes of the wall clock after midnight',
  silenceLimitMs: 'of a gap between two events of a device no more than this counts as powered on, in milliseconds',
  timeZoneData: 'the release of the time zone database by which local days are dated',
  doorCount: 'events: every report of a door counts; changes: only those that change its state',
}

/** Returns the settings that all figures depend on, by their names in the store. */
function ruleParameters(rules: string | null): Parameter[] {
  const all: Record<string, unknown> = rules === null ? {} : parseRules(rules)
  return Object.entries(all).map(([name, value]) => ({
    name: `rules.${name}`,
    value: typeof value === 'number' ? value : String(value),
    meaning: RULE_MEANINGS[name] ?? 'a rule by which figures are computed',
  }))
}
