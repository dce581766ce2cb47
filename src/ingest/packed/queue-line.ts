import { COMMON_FIELDS, FIELDS_BY_NAME } from '../../event/fields.ts'
import type { RawEvent } from '../read-batch.ts'

/** The fields that the checks look at. */
const FIELDS = [...COMMON_FIELDS, ...Object.keys(FIELDS_BY_NAME)]

/**
 * Returns the line that an intake puts into the queue for an event, so that a worker's checks give the same result as
 * the intake's. Most events are sent as they came; a value that JSON cannot express is replaced by one just as wrong.
 */
export function queueLine({ text, value }: RawEvent): string {
  // The text may have become good JSON when bytes that are not UTF-8 were replaced; as a JSON string it is no event.
  if (text !== undefined) return value === undefined && text.includes('\uFFFD') ? JSON.stringify(text) : text
  if (typeof value === 'number') return JSON.stringify(value) // NaN and infinity become null, which is no event either.
  try {
    return JSON.stringify(value, sameFault) ?? 'null'
  } catch {
    // Nested too deeply for the stack. Unknown fields are ignored, and no known field is an array or an object.
    return JSON.stringify(shallow(value))
  }
}

/** Replaces NaN and infinity by {}, which no field accepts. JSON would write them as null, which some fields accept. */
const sameFault = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? {} : value

/** Returns an event without nested values, which the checks judge like the original; other values unchanged. */
export function shallow(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return []
  const fields = value as Record<string, unknown>
  const own = FIELDS.filter((name) => Object.hasOwn(fields, name))
  return Object.fromEntries(
    own.map((name) => {
      const field = sameFault(name, fields[name])
      return [name, typeof field === 'object' && field !== null ? {} : field]
    }),
  )
}
