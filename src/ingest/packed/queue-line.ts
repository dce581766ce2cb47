import { COMMON_FIELDS, FIELDS_BY_NAME } from '../../event/fields.ts'
import type { RawEvent } from '../read-batch.ts'

/** What the checks look at. */
const FIELDS = [...COMMON_FIELDS, ...Object.keys(FIELDS_BY_NAME)]

/**
 * An event as the line that an intake puts into the queue: one that a worker's checks judge as the intake's did. Most
 * are sent as they came; what JSON text cannot say again is said so that it stays just as wrong.
 */
export function queueLine({ text, value }: RawEvent): string {
  // Bytes that were no UTF-8 are gone from the text, so that it might be good JSON by now: as a string it is no event.
  if (text !== undefined) return value === undefined && text.includes('\uFFFD') ? JSON.stringify(text) : text
  if (typeof value === 'number') return JSON.stringify(value) // Of an event itself null is as wrong.
  try {
    return JSON.stringify(value, sameFault) ?? 'null'
  } catch {
    // Nested beyond the stack: unknown fields count for nothing, and no field of ours is an array or an object.
    return JSON.stringify(shallow(value))
  }
}

/** JSON writes an infinite number as null, which some fields take; an object is as wrong as infinity in all of them. */
const sameFault = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? {} : value

/** An event with nothing nested in it that the checks judge as they judge the whole; anything else is as it was. */
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
