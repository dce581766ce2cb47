import { millisecondsInHour } from '../../src/base/time.ts'

export const settings = {
  defaultZone: 'UTC',
  rollupAtMinute: 20,
  daytime: { startMinute: 360, endMinute: 1080 },
  silenceLimitMs: 48 * millisecondsInHour,
  doorCount: 'events' as const,
  exceptions: { offHours: 4, warmAboveSet: 4, warmAbove: 10, silentHours: 24 },
}
