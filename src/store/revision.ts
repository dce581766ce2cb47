import { type DeviceDay, emptyDeviceDay } from './device-day.ts'
import { STATISTIC_NAMES } from './statistics.ts'

/** Why a device-day was computed again. */
export const CAUSES = [
  /** Events landed after the day was rolled up. */
  'late-events',
  /** A placement was added, changed or removed. */
  'placement',
  /** The rules, or the settings that the figures depend on, are others than before. */
  'rules-version',
  /** A person asked for it. */
  'manual',
  /** The clock by which the day was settled was ahead of time. */
  'clock',
  /** Raw events were erased: what the day was before is not kept. */
  'erased',
] as const

export type Cause = (typeof CAUSES)[number]

/** Tells whether a text names a cause of a revision. */
export const isCause = (text: string): text is Cause => (CAUSES as readonly string[]).includes(text)

/** A change of a settled device-day: what was stored before it; `old` is null where nothing was. */
export interface Revision {
  device: number
  /** Local day, epoch day. */
  day: number
  causes: readonly Cause[]
  old: DeviceDay | null
}

/** A revision as it is kept; `number` counts those of a device-day from 1. */
export interface KeptRevision extends Revision {
  number: number
  /** Epoch ms. */
  revisedAt: number
  /** Its figures have been erased: `old` is null, whatever it was. */
  isErased: boolean
}

/** The statistics of a day as a JSON list, in the order of STATISTIC_NAMES. */
export const statisticsText = (day: DeviceDay): string => JSON.stringify(STATISTIC_NAMES.map((field) => day[field]))

/** The day of such a text; fields that came after it was written are empty. */
export function parseStatistics(text: string): DeviceDay {
  const values = JSON.parse(text) as number[]
  const day = emptyDeviceDay()
  for (const [index, field] of STATISTIC_NAMES.entries()) if (index < values.length) day[field] = values[index]
  return day
}
