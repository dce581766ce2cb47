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
const RESUMED_STATISTICS = statisticsWhere(({ role }) => role === 'resumed')
const NONE_RESUMED = Object.fromEntries(RESUMED_STATISTICS.map((name) => [name, EMPTY[name]])) as Partial<DeviceDay>
/** The statistics that a settled day may have. */
export const LASTING_STATISTICS = statisticsWhere(({ role }) => role !== 'resumed')
const CARRIED_STATISTICS = statisticsWhere(({ role }) => role === 'carried')

/** Tells whether two rollups of a day give the same figures; null is a day without a rollup. */
export function sameFigures(one: DeviceDay | null, other: DeviceDay | null): boolean {
  if (one === null || other === null) {
    const day = one ?? other
    return day === null || FIGURE_STATISTICS.every((name) => day[name] === 0)
  }
  return SHOWN_STATISTICS.every((name) => one[name] === other[name])
}

/** Tells whether a day has statistics of role `resumed`. */
export const hasResumed = (day: DeviceDay): boolean => RESUMED_STATISTICS.some((name) => day[name] !== EMPTY[name])

/**
 * Returns a computed rollup as it is compared with the stored one: without statistics of role `resumed` if that has none,
 * as programs before codec version 3 kept none.
 */
export const comparableTo = (stored: DeviceDay, computed: DeviceDay): DeviceDay =>
  hasResumed(stored) ? computed : { ...computed, ...NONE_RESUMED }

/** Tells whether two rollups of a day carry the same state into the days after it. */
export const sameCarriedState = (one: DeviceDay, other: DeviceDay): boolean =>
  CARRIED_STATISTICS.every((name) => one[name] === other[name])

/** Tells whether a day was open when it was rolled up: its rollup is provisional. */
export const isOpen = (day: DeviceDay): boolean => day.passedMs < day.lengthMs || day.closesAfterMs > 0

/** Returns when an open day closes, epoch ms. */
export const closingOf = (day: DeviceDay): number => day.startAt + day.lengthMs + day.closesAfterMs
