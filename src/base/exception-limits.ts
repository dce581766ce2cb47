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
