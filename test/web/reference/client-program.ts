/**
 * A program of a consumer, as the client that is made of the document lets one write it: client.test.ts type-checks it
 * beside that client, and runs it against a live server. Its last line of output is what it has found, as JSON.
 */
import {
  type DailyEntry,
  defaults,
  explainDay,
  listDevices,
  putDevice,
  readStatus,
  reportDay,
  reportRange,
  rollUp,
  sendTelemetry,
  type TelemetryEvent,
} from './client.ts'

const [url, key] = process.argv.slice(2)
defaults.baseUrl = url
defaults.headers = { authorization: `Bearer ${key}` }

const day = 20250601
const events: TelemetryEvent[] = [
  { deviceId: 'a/1', at: '2025-06-01T08:00:00Z', type: 'temperature', celsius: 3.4, setpoint: 4 },
  { deviceId: 'a/1', at: '2025-06-01T09:00:00Z', type: 'power', on: true },
  { deviceId: 'a/1', at: Date.UTC(2025, 5, 1, 10), type: 'visitor', count: 3 },
]

// @ts-expect-error: a door event tells one of `open` and `count`.
const bad: TelemetryEvent = { deviceId: 'a/1', at: 0, type: 'door' }

const landed = await sendTelemetry({ body: [...events, bad] })
if (landed.status !== 202) throw new Error(landed.data.message)
const placed = await putDevice({ id: 'a/1', body: { placements: [{ at: '2025-06-01T00:00:00Z', lat: 1.5, lon: 2 }] } })
const done = await rollUp({ body: { fromDay: day, toDay: day, wait: true } })
const daily = await reportDay({ body: { day } })
if (daily.status !== 200) throw new Error(daily.data.message)
const entry: DailyEntry = daily.data.data.deviceStatusList[0]
const warmest: number | null = entry.maxTemp
const range = await reportRange({ body: { startDay: day, endDay: day, assertIds: ['a/1'] } })
const explained = await explainDay({ id: 'a/1', day, figure: 'currTemp' })
const page = await listDevices({ limit: 1 })
const status = await readStatus()

// An error is told from an answer by its status, and has the codes that this call may end with.
const refused = await reportDay({ body: { day: 20251301 } })
const code: 'bad-request' | null = refused.status === 400 ? refused.data.code : null

console.log(
  JSON.stringify({
    accepted: landed.data.accepted,
    reason: landed.data.rejections[0].reason,
    placed: placed.status === 200 && placed.data.placements.length,
    rolledUp: done.status,
    warmest,
    flag: entry.distanceMore,
    location: range.status === 200 && range.data.data.deviceStatusList[0].location,
    readings: explained.status === 200 && explained.data.readings?.length,
    devices: page.status === 200 && page.data.devices.map(({ id }) => id),
    queue: status.status === 200 && status.data.queue,
    code,
  }),
)
