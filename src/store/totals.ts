import { type DeviceDay, STATISTICS, type Statistic, type StatisticName, statisticsWhere } from './statistics.ts'

const SUMS = statisticsWhere(({ over }) => over === 'sum')
const EXTREMES = statisticsWhere(({ over }) => over === 'least' || over === 'most')

/** The statistics that figures are finalised from, in the order in which a device's totals stand: first the sums. */
export const TOTALLED: readonly StatisticName[] = [...SUMS, ...EXTREMES]

/** How many of them are sums. */
export const SUM_COUNT = SUMS.length

/** Places of one device's totals. */
export const TOTALS_OF_DEVICE = TOTALLED.length

/** Gives the place of a statistic's total, counted from the first total of its device. */
export const AT = Object.fromEntries(TOTALLED.map((name, index) => [name, index])) as Readonly<
  Record<StatisticName, number>
>

/** An extreme: where its total stands, the statistic that counts its readings, and whether the least one is sought. */
export interface Extreme {
  at: number
  name: StatisticName
  of: StatisticName
  isLeast: boolean
}

export const extremes: readonly Extreme[] = EXTREMES.map((name) => {
  const { over, of }: Statistic = STATISTICS[name]
  return { at: AT[name], name, of: of as StatisticName, isLeast: over === 'least' }
})

/**
 * Statistics of devices over the days of a report (RULES.md 4): of each device TOTALS_OF_DEVICE numbers in the order of
 * TOTALLED, those of one device together, so that they come into the processor's cache together.
 */
export type Totals = Float64Array

/** Returns the totals of no day. */
export function newTotals(devices: number): Totals {
  const totals = new Float64Array(devices * TOTALS_OF_DEVICE)
  for (const { at, isLeast } of extremes) {
    for (let place = at; place < totals.length; place += TOTALS_OF_DEVICE)
      totals[place] = isLeast ? Infinity : -Infinity
  }
  return totals
}

/** Adds a day to the totals that begin at `place`. */
export function addDay(totals: Totals, place: number, day: DeviceDay): void {
  for (let at = 0; at < SUM_COUNT; at++) totals[place + at] += day[TOTALLED[at]]
  for (const { at, name, of, isLeast } of extremes) {
    if (day[of] === 0) continue
    totals[place + at] = (isLeast ? Math.min : Math.max)(totals[place + at], day[name])
  }
}
