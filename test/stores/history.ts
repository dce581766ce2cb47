import { HOUR_MS } from '../rollup/shard-fixture.ts'

/** What the stores of this folder have been told: events, batch by batch, and after each batch when it was rolled up. */

const at = (day: number, hour: number): number => Date.parse('2025-06-01T00:00:00Z') + ((day - 1) * 24 + hour) * HOUR_MS

const berlin = { lat: 52.52, lon: 13.405, timezone: 'Europe/Berlin', address: 'Alexanderplatz 1' }

/** Three devices, two local days that are over by the first rollup and one under way; some events come twice. */
export const HISTORY = [
  {
    rolledUpAt: at(3, 12),
    events: [
      { deviceId: 'K\u00fchler', at: at(1, 0), type: 'placement', ...berlin },
      { deviceId: 'K\u00fchler', at: at(1, 1), type: 'power', on: true },
      { deviceId: 'K\u00fchler', at: at(1, 2), type: 'temperature', celsius: 3.25, setpoint: 4 },
      { deviceId: 'K\u00fchler', at: at(1, 2), type: 'temperature', celsius: 3.25, setpoint: 4 },
      { deviceId: 'K\u00fchler', at: at(1, 9), type: 'gps', lat: 52.5205, lon: 13.4051, address: 'Stra\u00dfe 7' },
      { deviceId: 'K\u00fchler', at: at(1, 20), type: 'power', on: false },
      { deviceId: 'K\u00fchler', at: at(2, 8), type: 'door', open: true, seq: 1 },
      { deviceId: 'K\u00fchler', at: at(2, 9), type: 'door', open: false, seq: 2 },
      { deviceId: 'K\u00fchler', at: at(2, 10), type: 'power', on: true },
      { deviceId: 'K\u00fchler', at: at(3, 7), type: 'visitor', total: 100 },
      { deviceId: 'b', at: at(1, 12), type: 'visitor', total: 10 },
      { deviceId: 'b', at: at(2, 12), type: 'visitor', total: 17 },
      { deviceId: 'b', at: at(2, 13), type: 'temperature', celsius: -18 },
      { deviceId: 'c', at: at(2, 23), type: 'door', count: 5 },
      { deviceId: 'c', at: at(2, 23), type: 'humidity', percent: 5 },
      7,
    ],
  },
  {
    rolledUpAt: null,
    events: [
      { deviceId: 'c', at: at(1, 3), type: 'visitor', count: 4 },
      { deviceId: 'd', at: at(3, 11), type: 'power', on: true },
    ],
  },
] as const

/** What comes later: late events for the first days, and a day more. */
export const SEQUEL = {
  rolledUpAt: at(5, 12),
  events: [
    { deviceId: 'K\u00fchler', at: at(1, 15), type: 'temperature', celsius: 9, setpoint: 4 },
    { deviceId: 'K\u00fchler', at: at(3, 18), type: 'visitor', total: 130 },
    { deviceId: 'b', at: at(1, 18), type: 'visitor', total: 12 },
    { deviceId: 'e', at: at(4, 12), type: 'door', count: 2 },
  ],
} as const

export const FIRST_DAY = 20250601
export const LAST_DAY = 20250605
