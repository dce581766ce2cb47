/**
 * The rollup of one device and one local day: sufficient statistics, from which the figures of a day or a range are
 * finalised, and the state that the next day starts from. All are integers; sums are exact in any order.
 */
export interface DeviceDay {
  /** First instant of the day, epoch ms. */
  startAt: number
  /** Length of the day in ms; on, off and unknown time add up to it. */
  lengthMs: number
  /** How much of the day, in ms from its start, had passed when it was rolled up; `lengthMs` once it was over. */
  passedMs: number
  visitors: number
  doors: number
  /** Sum, number and extremes of `celsius` readings, in 1/1000 degree; the extremes are 0 where there is none. */
  celsiusSum: number
  celsiusCount: number
  celsiusMin: number
  celsiusMax: number
  setpointSum: number
  setpointCount: number
  onMs: number
  onDaytimeMs: number
  offMs: number
  /** Sum and number of the deviations of the day's fixes, in whole millimetres; spikes are left out and counted. */
  distanceSumMm: number
  distanceCount: number
  spikes: number
  /** Distinct events of the day (placements aside), and how many repeats of them were dropped. */
  events: number
  repeats: number
  /** Carried: 0 unknown, 1 off, 2 on. */
  power: number
  /** Carried: 0 unknown, 1 closed, 2 open. */
  door: number
  /** Carried: instant of the last event, epoch ms; 0 before the first. */
  lastHeardAt: number
  /** Carried: last running total of visitors; -1 before the first. */
  lastTotal: number
  /** How long after its end a day closes, in ms, where it had not closed when it was rolled up; 0 once it was settled. */
  closesAfterMs: number
}

/** The statistics in the order in which they are stored; appending one needs a new block codec version. */
export const DEVICE_DAY_FIELDS = [
  'startAt',
  'lengthMs',
  'passedMs',
  'visitors',
  'doors',
  'celsiusSum',
  'celsiusCount',
  'celsiusMin',
  'celsiusMax',
  'setpointSum',
  'setpointCount',
  'onMs',
  'onDaytimeMs',
  'offMs',
  'distanceSumMm',
  'distanceCount',
  'spikes',
  'events',
  'repeats',
  'power',
  'door',
  'lastHeardAt',
  'lastTotal',
  'closesAfterMs',
] as const satisfies readonly (keyof DeviceDay)[]

/** Power states as they are carried. */
export const Power = { unknown: 0, off: 1, on: 2 } as const

/** Door states as they are carried. */
export const Door = { unknown: 0, closed: 1, open: 2 } as const

export const emptyDeviceDay = (): DeviceDay => ({
  startAt: 0,
  lengthMs: 0,
  passedMs: 0,
  visitors: 0,
  doors: 0,
  celsiusSum: 0,
  celsiusCount: 0,
  celsiusMin: 0,
  celsiusMax: 0,
  setpointSum: 0,
  setpointCount: 0,
  onMs: 0,
  onDaytimeMs: 0,
  offMs: 0,
  distanceSumMm: 0,
  distanceCount: 0,
  spikes: 0,
  events: 0,
  repeats: 0,
  power: Power.unknown,
  door: Door.unknown,
  lastHeardAt: 0,
  lastTotal: -1,
  closesAfterMs: 0,
})

/** Statistics from which figures are finalised, and the bounds of the day that they are of. */
const FIGURE_FIELDS = [
  'startAt',
  'lengthMs',
  'visitors',
  'doors',
  'celsiusSum',
  'celsiusCount',
  'celsiusMin',
  'celsiusMax',
  'setpointSum',
  'setpointCount',
  'onMs',
  'onDaytimeMs',
  'offMs',
  'distanceSumMm',
  'distanceCount',
] as const satisfies readonly (keyof DeviceDay)[]

/** Whether nobody who reads figures would see a difference; null is a day of which nothing is known. */
export function sameFigures(one: DeviceDay | null, other: DeviceDay | null): boolean {
  if (one === null || other === null) {
    const day = one ?? other
    return day === null || FIGURE_FIELDS.slice(2).every((field) => day[field] === 0)
  }
  return FIGURE_FIELDS.every((field) => one[field] === other[field])
}

/** Whether the days that follow one would come out the same after the other. */
export const sameCarriedState = (one: DeviceDay, other: DeviceDay): boolean =>
  one.power === other.power &&
  one.door === other.door &&
  one.lastHeardAt === other.lastHeardAt &&
  one.lastTotal === other.lastTotal
