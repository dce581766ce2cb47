import { CoolerError } from '../errors.ts'
import type { ReportStore } from '../summary/report-store.ts'
import type { RollupSettings } from './rollup-request.ts'

/** To be raised with every change of the folds after which the same events may give other figures. */
const RULES_VERSION = 1

/** All that the figures of a store depend on beside its events and placements. */
export const rulesText = ({ defaultZone, daytime, silenceLimitMs, doorCount }: RollupSettings): string =>
  JSON.stringify({
    version: RULES_VERSION,
    defaultZone,
    daytime: [daytime.startMinute, daytime.endMinute],
    silenceLimitMs,
    doorCount,
  })

/**
 * Makes these settings the ones of the store; where others were, every day whose raw events are still there is due
 * again. A store that has none yet takes them as they are. Gives whether others were.
 */
export const adoptRules = (report: ReportStore, settings: RollupSettings, now: number): Promise<boolean> =>
  report.adoptRules(rulesText(settings), now)

/**
 * A store is rolled up by one set of rules at a time: two that took turns would compute everything again and again.
 *
 * @throws CoolerError `other-rules`
 */
export async function requireRules(report: ReportStore, settings: RollupSettings): Promise<void> {
  const rules = await report.rules()
  const own = rulesText(settings)
  if (rules === null || rules === own) return
  throw new CoolerError(
    'other-rules',
    `the rollups of this store are made by ${rules}, the settings here are ${own}: use the same, or start the service` +
      ' (or `cooler rollup --adopt`) with these to compute all days again',
  )
}
