import { gzipSync } from 'node:zlib'
import type { TelemetryEvent } from '../../src/event/telemetry-event.ts'
import type { Random } from '../helpers/random.ts'
import { DAILY, SUMMARY } from '../web/app-fixture.ts'
import type { Ask, Given } from './client.ts'
import type { Lane } from './lane.ts'

/** What is there to be asked for. */
export interface Fleet {
  devices: number
  /** The days that the fleet has events of, YYYYMMDD. */
  fromDay: number
  toDay: number
}

const SELECTED = 64
const MANY_EVENTS = 2000
const FEW_EVENTS = 100

/** The id of a simulated cooler. */
const idOf = (index: number): string => `CLR-${String(index).padStart(6, '0')}`

const post = (path: string, body: object): Ask => ({ method: 'POST', path, body: JSON.stringify(body) })

const refused = ({ status, text }: Given): string => `${status} ${text.slice(0, 120)}`

/** A report on so many devices, whole. */
const reportOn =
  (devices: number) =>
  (given: Given): string | null => {
    const { status, text } = given
    const isReport = status === 200 && text.startsWith('{"status":200,"message":"OK","data":{')
    return isReport && text.includes(`"deviceCount":${devices},`) ? null : refused(given)
  }

const answers =
  (expected: number) =>
  (given: Given): string | null =>
    given.status === expected ? null : refused(given)

const takes =
  (events: number) =>
  (given: Given): string | null =>
    given.text.startsWith(`{"accepted":${events},"rejected":0,`) ? null : refused(given)

/** All kinds of requests at once: small ones at a steady pace, large ones without a pause. */
export function lanesOf(fleet: Fleet, random: Random): Lane[] {
  const { devices, fromDay, toDay } = fleet
  const day = { day: toDay }
  const range = { startDay: fromDay, endDay: toDay }
  const any = (): string => idOf(random.between(0, devices - 1))
  const several = Math.min(SELECTED, devices)
  const some = (): string[] => {
    const first = random.between(0, devices - several)
    return Array.from({ length: several }, (_, place) => idOf(first + place))
  }
  const batch = (events: number): TelemetryEvent[] =>
    Array.from({ length: events }, (_, index) => eventOf(any(), Date.now() - index, random))
  const lane = (name: string, everyMs: number, most: number, ask: Lane['ask'], fault: Lane['fault']): Lane => ({
    name,
    everyMs,
    most,
    ask,
    fault,
  })
  return [
    lane('GET /healthz', 20, 16, () => ({ method: 'GET', path: '/healthz' }), answers(200)),
    lane('daily, one device', 20, 16, () => post(DAILY, { ...day, assertIds: [any()] }), reportOn(1)),
    lane('summary, one device', 20, 16, () => post(SUMMARY, { ...range, assertIds: [any()] }), reportOn(1)),
    lane('daily, 64 devices', 100, 4, () => post(DAILY, { ...day, assertIds: some() }), reportOn(several)),
    lane('summary, 64 devices', 100, 4, () => post(SUMMARY, { ...range, assertIds: some() }), reportOn(several)),
    lane('daily, all devices', 0, 1, () => post(DAILY, day), reportOn(devices)),
    lane('summary, all devices', 0, 1, () => post(SUMMARY, range), reportOn(devices)),
    lane('telemetry, 100 events', 50, 4, () => post('/v1/telemetry', { events: batch(FEW_EVENTS) }), takes(FEW_EVENTS)),
    lane('telemetry, 2000 events, gzip', 500, 2, () => packed(batch(MANY_EVENTS)), takes(MANY_EVENTS)),
    lane('rollup of all devices', 0, 1, () => post('/v1/rollups', { fromDay, toDay, wait: true }), answers(200)),
    lane('GET /v1/status', 1000, 2, () => ({ method: 'GET', path: '/v1/status' }), answers(200)),
    lane('GET /v1/devices', 1000, 2, () => ({ method: 'GET', path: `/v1/devices?after=${any()}` }), answers(200)),
    lane('explained day', 1000, 2, () => ({ method: 'GET', path: `/v1/devices/${any()}/days/${toDay}` }), answers(200)),
  ]
}

function packed(events: readonly TelemetryEvent[]): Ask {
  const body = gzipSync(events.map((event) => JSON.stringify(event)).join('\n'), { level: 1 })
  const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
  return { method: 'POST', path: '/v1/telemetry', headers, body }
}

function eventOf(deviceId: string, at: number, random: Random): TelemetryEvent {
  const head = { deviceId, at }
  switch (random.between(0, 3)) {
    case 0:
      return { ...head, type: 'door', open: random.next() < 0.5 }
    case 1:
      return { ...head, type: 'power', on: random.next() < 0.9 }
    case 2:
      return { ...head, type: 'visitor', count: random.between(0, 9) }
    default:
      return { ...head, type: 'temperature', celsius: random.between(0, 800) / 100, setpoint: 4 }
  }
}
