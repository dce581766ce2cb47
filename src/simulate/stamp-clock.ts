import { millisecondsInMinute } from '../base/time.ts'
import type { EventCommon } from '../event/telemetry-event.ts'

/** Turns `at` from epoch ms into RFC 3339 text: with `Z`, or with an offset (ms ahead of UTC) where one is given. */
export function stampClock(event: EventCommon, offset: number | null): void {
  const instant = event.at as number
  const text = new Date(instant + (offset ?? 0)).toISOString()
  event.at = offset === null ? text : `${text.slice(0, -1)}${offsetText(offset)}`
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / millisecondsInMinute
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}

const pad = (value: number): string => String(value).padStart(2, '0')
