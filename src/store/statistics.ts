/** The purpose of a statistic of a device-day. */
type Role =
  /** It says when the day begins and how long it is. */
  | 'bounds'
  /** How far the day was when it was rolled up. */
  | 'progress'
  /** Figures are finalised from it. */
  | 'figure'
  /** Explanations report it. */
  | 'tally'
  /** The next day starts from it. */
  | 'carried'
  /** A later rollup of an open day starts from it; settled days do not have it. */
  | 'resumed'

export interface Statistic {
  unit: string
  role: Role
  /** How the figures of a range combine it over their days; absent where they do not need it. */
  over?: 'sum' | 'least' | 'most'
  /** The statistic that counts its readings; a day with a count of 0 has no extreme. */
  of?: string
  /** Its value in a day without data; 0 where absent. */
  empty?: number
}

const CELSIUS = { unit: '1/1000 °C', role: 'figure' } as const
const COUNT = { unit: 'count', role: 'figure', over: 'sum' } as const
const DURATION = { unit: 'ms', role: 'figure', over: 'sum' } as const
/** After the start of the day; -1 if there is no such fix. */
const FIX_MS = { unit: 'ms', role: 'resumed', empty: -1 } as const
const FIX_DEGREES = { unit: '1e-7 degree', role: 'resumed' } as const

/**
 * Every statistic that the store keeps of a device-day, in the order in which it is stored. All are integers, so sums
 * are exact in any order. Add new ones only at the end, with a new version of the block codec.
 */
export const STATISTICS = {
  /** First instant of the day. */
  startAt: { unit: 'epoch ms', role: 'bounds' },
  /** Length of the day; on, off and unknown time add up to it. */
  lengthMs: { unit: 'ms', role: 'bounds' },
  /** How much of the day, from its start, had passed when it was rolled up; `lengthMs` once it was over. */
  passedMs: { unit: 'ms', role: 'progress' },
  visitors: COUNT,
  /** Door events. */
  doors: COUNT,
  celsiusSum: { ...CELSIUS, over: 'sum' },
  celsiusCount: COUNT,
  /** 0 without a reading. */
  celsiusMin: { ...CELSIUS, over: 'least', of: 'celsiusCount' },
  /** 0 without a reading. */
  celsiusMax: { ...CELSIUS, over: 'most', of: 'celsiusCount' },
  setpointSum: { ...CELSIUS, over: 'sum' },
  setpointCount: COUNT,
  onMs: DURATION,
  /** The part of `onMs` within the daytime. */
  onDaytimeMs: DURATION,
  offMs: { unit: 'ms', role: 'figure' },
  /** Sum of the deviations of the day's fixes, spikes left out. */
  distanceSumMm: { unit: 'mm', role: 'figure', over: 'sum' },
  distanceCount: COUNT,
  spikes: { unit: 'count', role: 'tally' },
  /** Distinct events of the day, placements aside. */
  events: { unit: 'count', role: 'tally' },
  /** Repeats of events that were dropped. */
  repeats: { unit: 'count', role: 'tally' },
  /** State held at the end of the day: see `Power`. */
  power: { unit: 'state', role: 'carried' },
  /** State held at the end of the day: see `Door`. */
  door: { unit: 'state', role: 'carried' },
  /** Instant of the last event; 0 before the first. */
  lastHeardAt: { unit: 'epoch ms', role: 'carried' },
  /** Last running total of visitors; -1 before the first. */
  lastTotal: { unit: 'count', role: 'carried', empty: -1 },
  /** How long after its end a day closes, if it was open when it was rolled up; 0 once it is settled. */
  closesAfterMs: { unit: 'ms', role: 'progress' },
  /** The last fix of the day, and its deviation. Whether it is a spike depends on the next one. */
  lastFixMs: FIX_MS,
  lastFixLat: FIX_DEGREES,
  lastFixLon: FIX_DEGREES,
  lastFixMm: { unit: 'mm', role: 'resumed' },
  /** The fix before the last one. */
  priorFixMs: FIX_MS,
  priorFixLat: FIX_DEGREES,
  priorFixLon: FIX_DEGREES,
} as const satisfies Record<string, Statistic>

/**
 * The rollup of one device and one local day: the statistics from which the figures of a day or a range are finalised,
 * and the state that the next day starts from.
 */
export type DeviceDay = { -readonly [Name in keyof typeof STATISTICS]: number }

export type StatisticName = keyof DeviceDay

/** The names in the order in which they are stored. */
export const STATISTIC_NAMES = Object.keys(STATISTICS) as StatisticName[]

/** Returns the names of the statistics that a test holds for, in their order. */
export const statisticsWhere = (test: (statistic: Statistic) => boolean): StatisticName[] =>
  STATISTIC_NAMES.filter((name) => test(STATISTICS[name]))
