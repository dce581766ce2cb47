/** What the figures depend on beside events and instants (RULES.md sections 1 and 3). */
export interface Settings {
  /** `COOLER_DEFAULT_TIMEZONE`: the zone where a placement names none, and of a device without placements. */
  defaultTimezone: string
  /** `COOLER_DAYTIME`, both bounds in minutes of the local wall clock; the start is before the end. */
  daytimeStartMinute: number
  daytimeEndMinute: number
  /** `COOLER_SILENCE_LIMIT_HOURS` */
  silenceLimitHours: number
  /** `COOLER_DOOR_COUNT` */
  doorCount: 'events' | 'changes'
}

/** The defaults that RULES.md names. */
export const DEFAULT_SETTINGS: Settings = {
  defaultTimezone: 'UTC',
  daytimeStartMinute: 6 * 60,
  daytimeEndMinute: 18 * 60,
  silenceLimitHours: 168,
  doorCount: 'events',
}
