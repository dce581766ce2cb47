import type { KeptEvent } from './kept-event.ts'

/** The kept values in the order in which "value" compares them. `lat` before `lon` before `timezone` is a decision. */
const VALUES = ['on', 'open', 'count', 'total', 'celsius', 'setpoint', 'lat', 'lon', 'timezone'] as const

type Comparable = string | number | boolean | null

/** Absent before present, false before true, numbers by size, texts by UTF-16 code unit. */
function compare(a: Comparable, b: Comparable): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  return a < b ? -1 : 1
}

/** The order within a device (RULES.md section 2): by `at`, then `seq`, then type, then value. 0: the same event. */
export function compareEvents(a: KeptEvent, b: KeptEvent): number {
  for (const field of ['at', 'seq', 'type', ...VALUES] as const) {
    const order = compare(a[field], b[field])
    if (order !== 0) return order
  }
  return 0
}

/**
 * The events of one device in their order, each once (RULES.md section 2). Of the addresses of one event the greatest
 * by UTF-16 code unit is kept; any beats none.
 */
export function distinctEventsOf(events: readonly KeptEvent[], deviceId: string): KeptEvent[] {
  const ordered = events
    .filter((event) => event.deviceId === deviceId)
    .sort((a, b) => compareEvents(a, b) || compare(a.address, b.address))
  return ordered.filter((event, i) => {
    const next = ordered[i + 1]
    return next === undefined || compareEvents(event, next) !== 0
  })
}
