import { isClockZone, type Repeated } from './local-clock.ts'
import { objectOf, refuseOthers } from './mapping-objects.ts'
import { readPattern, type TimePattern } from './time-pattern.ts'

/** The source of a record's instant: members, whose texts are joined by a space, or the time of its arrival. */
export type AtSource = { from: readonly string[]; format: AtFormat } | { received: true }

const FORMATS = ['rfc3339', 'epoch-seconds', 'epoch-milliseconds', 'local', 'excel-serial', 'pattern'] as const

/** How a time is written. `timezone` and `repeated` are for times without an offset of their own. */
export interface AtFormat {
  name: (typeof FORMATS)[number]
  timezone: string
  repeated: Repeated
  /** Null for all formats but `pattern`. */
  pattern: TimePattern | null
}

/** Reads the `at` of a mapping. @throws TypeError that says what is wrong */
export function atOf(value: unknown): AtSource {
  const { from, format, timezone, repeated, pattern, received, ...others } = objectOf(
    typeof value === 'string' ? { from: value } : value,
    'at',
  )
  refuseOthers(others, 'at')
  if (received !== undefined) return receivedOf(received, [from, format, timezone, repeated, pattern])
  const names = Array.isArray(from) ? from : [from]
  if (names.length === 0 || !names.every((name) => typeof name === 'string'))
    throw new TypeError('at must be a name, {"from": name or [names], "format"?} or {"received": true}')
  return { from: names, format: formatOf({ format, timezone, repeated, pattern }) }
}

function receivedOf(received: unknown, others: readonly unknown[]): AtSource {
  if (received !== true || others.some((other) => other !== undefined))
    throw new TypeError('at.received must be true, and stands alone')
  return { received }
}

function formatOf(at: Record<'format' | 'timezone' | 'repeated' | 'pattern', unknown>): AtFormat {
  const { format = at.pattern === undefined ? 'rfc3339' : 'pattern', timezone = 'UTC', repeated = 'in-order' } = at
  const name = FORMATS.find((known) => known === format)
  if (name === undefined) throw new TypeError(`at.format must be one of ${FORMATS.join(', ')}`)
  if (!isClockZone(timezone)) throw new TypeError('at.timezone must be an IANA name, or an offset such as "+01:00"')
  if (at.repeated !== undefined && repeated !== 'first' && repeated !== 'second')
    throw new TypeError('at.repeated must be "first" or "second"')
  return {
    name,
    timezone,
    repeated: repeated as Repeated,
    pattern: name === 'pattern' ? patternOf(at.pattern) : noPattern(at.pattern),
  }
}

function patternOf(pattern: unknown): TimePattern {
  if (typeof pattern !== 'string') throw new TypeError('at.pattern must be a text such as "dd.MM.yyyy HH:mm"')
  try {
    return readPattern(pattern)
  } catch (error) {
    throw new TypeError(`at.pattern ${JSON.stringify(pattern)}: ${(error as Error).message}`, { cause: error })
  }
}

function noPattern(pattern: unknown): null {
  if (pattern === undefined) return null
  throw new TypeError('at.pattern needs "format": "pattern"')
}
