import { type DeviceDay, STATISTIC_NAMES, STATISTICS, type Statistic, statisticsWhere } from './statistics.ts'

export type { DeviceDay } from './statistics.ts'

/** Codes of the power state that is carried from day to day. */
export const Power = { unknown: 0, off: 1, on: 2 } as const

/** Codes of the door state that is carried from day to day. */
export const Door = { unknown: 0, closed: 1, open: 2 } as const

const emptyValue = ({ empty = 0 }: Statistic): number => empty

const EMPTY = Object.fromEntries(STATISTIC_NAMES.map((name) => [name, emptyValue(STATISTICS[name])])) as DeviceDay

/** Makes a device-day without data. */
export const emptyDeviceDay = (): DeviceDay => ({ ...EMPTY })

const FIGURE_STATISTICS = statisticsWhere(({ role }) => role === 'figure')
const SHOWN_STATISTICS = statisticsWhere(({ role }) => role === 'bounds' || role === 'figure')
const CARRIED_STATISTICS = statisticsWhere(({ role }) => role === 'carried')

/** Tells whether two rollups of a day give the same figures; null is a day without a rollup. */
export function sameFigures(one: DeviceDay | null, other: DeviceDay | null): boolean {
  if (one === null || other === null) {
    const day = one ?? other
    return day === null || FIGURE_STATISTICS.every((name) => day[name] === 0)
  }
  return SHOWN_STATISTICS.every((name) => one[name] === other[name])
}

/** Tells whether two rollups of a day carry the same state into the days after it. */
export const sameCarriedState = (one: DeviceDay, other: DeviceDay): boolean =>
  CARRIED_STATISTICS.every((name) => one[name] === other[name])
