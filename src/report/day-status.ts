export const DAY_STATUSES = ['provisional', 'settled', 'revised', 'none'] as const

/** Not closed yet; closed; closed and changed since; `none`: nothing is known of the day yet. */
export type DayStatus = (typeof DAY_STATUSES)[number]
