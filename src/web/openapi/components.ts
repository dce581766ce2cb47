import { EXPLANATION } from './day-operations.ts'
import { DEVICE, DEVICES, PLACEMENT } from './device-operations.ts'
import { ERASED } from './erase-operations.ts'
import { EVENT } from './event.ts'
import { COVERAGE, READING, SPAN } from './explanation-parts.ts'
import { SOURCES } from './explanation-sources.ts'
import { REJECT, REJECTS, REPLAYED } from './reject-operations.ts'
import { DAILY_ANSWER, DAILY_ENTRY, SUMMARY_ANSWER, SUMMARY_ENTRY } from './report-operations.ts'
import { ASKED_ROLLUP, DONE_ROLLUP } from './rollup-operations.ts'
import type { Schema } from './schema.ts'
import { STATUS } from './status-operations.ts'
import { LANDED } from './telemetry-operations.ts'

/** Schemas by the names that they have in the document, and in clients made of it; others stand where they are used. */
export const COMPONENTS: Readonly<Record<string, Schema>> = {
  DailyAnswer: DAILY_ANSWER,
  DailyEntry: DAILY_ENTRY,
  SummaryAnswer: SUMMARY_ANSWER,
  SummaryEntry: SUMMARY_ENTRY,
  TelemetryEvent: EVENT,
  Landed: LANDED,
  AskedRollup: ASKED_ROLLUP,
  DoneRollup: DONE_ROLLUP,
  Rejects: REJECTS,
  Reject: REJECT,
  Replayed: REPLAYED,
  Devices: DEVICES,
  Device: DEVICE,
  Placement: PLACEMENT,
  Erased: ERASED,
  Explanation: EXPLANATION,
  Sources: SOURCES,
  Coverage: COVERAGE,
  PowerSpan: SPAN,
  Reading: READING,
  Status: STATUS,
}

/**
 * The same value, with a reference in the place of each schema that has a name: schemas are written as plain values,
 * so that examples can be taken from them.
 */
export function withReferences<Value>(value: Value, names: ReadonlyMap<unknown, string>): Value {
  const copy = (part: unknown): unknown => {
    const name = names.get(part)
    return name === undefined ? inside(part) : { $ref: `#/components/schemas/${name}` }
  }
  const inside = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(copy)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, copy(value)]))
  }
  return inside(value) as Value
}
