import { type DeviceDay, emptyDeviceDay, LASTING_STATISTICS } from './device-day.ts'

/** Why a device-day was computed again. */
export const CAUSES = [
  /** Events landed after the day was rolled up. */
  'late-events',
  /** A placement was added, changed or removed. */
  'placement',
  /** The rules, or the settings that the figures depend on, have changed. */
  'rules-version',
  /** A person asked for it. */
  'manual',
  /** The clock by which the day was settled was ahead of time. */
  'clock',
  /** Raw events were erased, so the previous figures of the day are not kept. */
  'erased',
] as const

export type Cause = (typeof CAUSES)[number]

/** Tells whether a text names a cause of a revision. */
export const isCause = (text: string): text is Cause => (CAUSES as readonly string[]).includes(text)

/** A change of a settled device-day; `old` is the rollup stored before it, null if there was none. */
export interface Revision {
  device: number
  /** Local day, epoch day. */
  day: number
  causes: readonly Cause[]
  old: DeviceDay | null
}

/** A stored revision; `number` counts the revisions of a device-day from 1. */
export interface KeptRevision extends Revision {
  number: number
  /** Epoch ms. */
  revisedAt: number
  /** Whether its figures have been erased; `old` is null then. */
  isErased: boolean
}

/** Returns the statistics of a settled day as a JSON list, in the order of LASTING_STATISTICS. */
export const statisticsText = (day: DeviceDay): string => JSON.stringify(LASTING_STATISTICS.map((field) => day[field]))

/** Parses the text of statisticsText; statistics that were added after it was written are empty. */
export function parseStatistics(text: string): DeviceDay {
  const values = JSON.parse(text) as number[]
  const day = emptyDeviceDay()
  for (const [index, field] of LASTING_STATISTICS.entries()) if (index < values.length) day[field] = values[index]
  return day
}
