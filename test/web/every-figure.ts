import { NOON, visitors } from '../helpers/events.ts'

/** One cooler of every figure, near 52.5,13.4; its power is on from 06:00 on. */
export const cooler = (deviceId: string): object[] => [
  { deviceId, at: '2025-06-01T00:00:00Z', type: 'placement', lat: 52.5, lon: 13.4, address: 'Hauptstraße 1' },
  { deviceId, at: '2025-06-01T06:00:00Z', type: 'power', on: true },
  { deviceId, at: NOON, type: 'temperature', celsius: 4.005, setpoint: -0.004 },
  { deviceId, at: NOON, type: 'temperature', celsius: 5 },
  { deviceId, at: NOON, type: 'door', count: 3 },
  { deviceId, at: NOON, type: 'gps', lat: 52.5, lon: 13.403 },
  visitors(deviceId, 7),
]
