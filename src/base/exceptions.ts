/** What of a device-day somebody should look at (RULES.md 7), with what each means. */
export const EXCEPTIONS = {
  moved: 'its mean distance from where it is meant to stand is too large',
  off: 'it was known to be off for too long',
  warm: 'its mean temperature was too far above the set one, or too high where none is known',
  silent: 'nothing was heard of it for too long, up to the end of the day or to its last rollup',
  'no-power-data': 'its power state is unknown for the whole day',
} as const

export type ExceptionName = keyof typeof EXCEPTIONS

export const EXCEPTION_NAMES = Object.keys(EXCEPTIONS) as ExceptionName[]

/** What each exception allows at most. */
export interface ExceptionLimits {
  /** Mean distance, metres; that of the figure `distanceMore` unless set. */
  movedMetres?: number
  /** Known time off, hours. */
  offHours: number
  /** Mean temperature above the mean set one, degrees Celsius. */
  warmAboveSet: number
  /** Mean temperature where no set one is known, degrees Celsius. */
  warmAbove: number
  /** Time since the last event, hours. */
  silentHours: number
}
