import type { DeviceDay } from '../store/device-day.ts'
import { STATISTIC_NAMES } from '../store/statistics.ts'

/** How what is stored may differ from what the raw events give. */
export const DIFFERENCE_KINDS = [
  /** Statistics of a device-day, those of `fields`. */
  'different',
  /** A device-day that has no rollup and should. */
  'missing',
  /** A device-day that has a rollup and should not. */
  'superfluous',
  /** The row of a device-day cannot be read. */
  'damaged',
  /** Raw events of the day cannot be read: nothing is computed of it. */
  'raw',
  /** The rollups of a row are right, but not its bytes, or when it closes. */
  'row',
  /** What is current of a device, whatever the day: when it was heard, its earliest and latest fix. */
  'state',
] as const

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

export interface Difference {
  /** Device number; of a row, its first device. */
  device: number
  /** Local day, epoch day; null for what is current of a device. */
  day: number | null
  kind: DifferenceKind
  fields: DifferentFields
}

/** By name: what is stored, and what the raw events give. */
export type DifferentFields = Record<string, { stored: unknown; computed: unknown }>

/** The statistics in which two rollups of one day differ; null where they are the same. */
export function differentFields(stored: DeviceDay, computed: DeviceDay): DifferentFields | null {
  let fields: DifferentFields | null = null
  for (const field of STATISTIC_NAMES) {
    if (stored[field] === computed[field]) continue
    fields ??= {}
    fields[field] = { stored: stored[field], computed: computed[field] }
  }
  return fields
}
