import { emptyDeviceDay } from './device-day.ts'
import { type DeviceDay, STATISTICS, type Statistic, type StatisticName, statisticsWhere } from './statistics.ts'

const SUMS = statisticsWhere(({ over }) => over === 'sum')
const EXTREMES = statisticsWhere(({ over }) => over === 'least' || over === 'most')

/** The statistics that figures are finalised from, in the order of a device's totals: the sums come first. */
export const TOTALLED: readonly StatisticName[] = [...SUMS, ...EXTREMES]

/** Number of sums in TOTALLED. */
export const SUM_COUNT = SUMS.length

/** Number of totals of one device. */
export const TOTALS_OF_DEVICE = TOTALLED.length

/** Gives the place of a statistic's total, counted from the first total of its device. */
export const AT = Object.fromEntries(TOTALLED.map((name, index) => [name, index])) as Readonly<
  Record<StatisticName, number>
>

/** An extreme: the place of its total, the statistic that counts its readings, and whether it is a minimum. */
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
 * Statistics of devices over the days of a report (RULES.md 4): TOTALS_OF_DEVICE numbers for each device, in the order
 * of TOTALLED. The totals of one device are adjacent, so that they enter the CPU cache together.
 */
export type Totals = Float64Array

/** Makes totals to which no day has been added yet. */
export function newTotals(devices: number): Totals {
  const totals = new Float64Array(devices * TOTALS_OF_DEVICE)
  for (const { at, isLeast } of extremes) {
    for (let place = at; place < totals.length; place += TOTALS_OF_DEVICE)
      totals[place] = isLeast ? Infinity : -Infinity
  }
  return totals
}

/** Returns a rollup that adds to totals what these days add together; all that is not totalled is empty. */
export function sumOfDays(days: readonly DeviceDay[]): DeviceDay {
  const totals = newTotals(1)
  for (const day of days) addDay(totals, 0, day)
  const sum = emptyDeviceDay()
  for (const [at, name] of TOTALLED.entries()) sum[name] = Number.isFinite(totals[at]) ? totals[at] : 0
  return sum
}

/** Adds a day to the totals that begin at `place`. */
export function addDay(totals: Totals, place: number, day: DeviceDay): void {
  for (let at = 0; at < SUM_COUNT; at++) totals[place + at] += day[TOTALLED[at]]
  for (const { at, name, of, isLeast } of extremes) {
    if (day[of] === 0) continue
    totals[place + at] = (isLeast ? Math.min : Math.max)(totals[place + at], day[name])
  }
}

/** Adds the totals of other days or devices, which begin at `from` of `other`, to those that begin at `place`. */
export function addTotals(totals: Totals, place: number, other: Totals, from: number): void {
  for (let at = 0; at < SUM_COUNT; at++) totals[place + at] += other[from + at]
  for (const { at, isLeast } of extremes)
    totals[place + at] = (isLeast ? Math.min : Math.max)(totals[place + at], other[from + at])
}
