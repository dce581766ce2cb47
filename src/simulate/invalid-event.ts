import type { EventCommon } from '../event/telemetry-event.ts'
import type { Random } from './random.ts'

type Common = Pick<EventCommon, 'deviceId' | 'at'>
type Mistake = (common: Common) => Record<string, unknown>

/** Mistakes for each reason for rejection in RULES.md section 2 that does not depend on the time of landing. */
const MISTAKES: readonly Mistake[] = [
  (common) => ({ ...common, type: 'temperature', celsius: '4.5', setpoint: 4 }),
  (common) => ({ ...common, type: 'temperature', celsius: 85 }),
  (common) => ({ ...common, type: 'temperature' }),
  (common) => ({ ...common, type: 'visitor', count: '3' }),
  (common) => ({ ...common, type: 'visitor', count: -1 }),
  (common) => ({ ...common, type: 'gps', lat: 0, lon: 0, accuracy: 5 }),
  (common) => ({ ...common, type: 'gps', lat: 12.9, lon: 77.6, accuracy: 1200 }),
  (common) => ({ ...common, type: 'power', on: 1 }),
  (common) => ({ ...common, type: 'humidity', percent: 61 }),
  (common) => ({ ...common, type: 'placement', lat: 12.9, lon: 77.6, timezone: 'Asia/Atlantis' }),
  ({ deviceId, at }) => ({ deviceId, at: Math.floor(Date.parse(utcText(at)) / 1000), type: 'power', on: true }),
  ({ deviceId, at }) => ({ deviceId, at: utcText(at).slice(0, -1), type: 'power', on: true }),
  ({ at }) => ({ deviceId: '', at, type: 'power', on: true }),
]

/** Returns an event that must be rejected, to be sent along with a good event of the same cooler. */
export function invalidEvent({ deviceId, at }: EventCommon, random: Random): Record<string, unknown> {
  return MISTAKES[random.below(MISTAKES.length)]({ deviceId, at })
}

const utcText = (at: string | number): string => new Date(at).toISOString()
