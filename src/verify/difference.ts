import type { DeviceDay } from '../store/device-day.ts'
import { STATISTIC_NAMES } from '../store/statistics.ts'

/** The ways in which the store may differ from what the raw events give. */
export const DIFFERENCE_KINDS = [
  /** A device-day whose statistics differ; `fields` names them. */
  'different',
  /** A device-day without a rollup that should have one. */
  'missing',
  /** A device-day with a rollup that should have none. */
  'superfluous',
  /** The row of a device-day cannot be read. */
  'damaged',
  /** Raw events of the day cannot be read, so the day is not computed. */
  'raw',
  /** The rollups of a row are right, but its bytes or its closing time are wrong. */
  'row',
  /** The stored state of a device (when it was heard, its earliest and latest fix), which belongs to no day. */
  'state',
] as const

export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

export interface Difference {
  /** Device number; for a row, its first device. */
  device: number
  /** Local day, epoch day; null for the state of a device. */
  day: number | null
  kind: DifferenceKind
  fields: DifferentFields
}

/** By field name: the stored value, and the value that the raw events give. */
export type DifferentFields = Record<string, { stored: unknown; computed: unknown }>

/** Returns the statistics in which two rollups of one day differ; null if they are the same. */
export function differentFields(stored: DeviceDay, computed: DeviceDay): DifferentFields | null {
  let fields: DifferentFields | null = null
  for (const field of STATISTIC_NAMES) {
    if (stored[field] === computed[field]) continue
    fields ??= {}
    fields[field] = { stored: stored[field], computed: computed[field] }
  }
  return fields
}
