// npm run bench:alone: single stages in this one thread. Landing beside JSON.parse of the same batches; rollup as events,
// and the age of the store, grow; a late event as the fleet grows; a refresh of today as the day
// grows. Prints a table each.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Landing } from '../../dist/src/ingest/landing.js'
import { rollUpShard } from '../../dist/src/rollup/roll-up-shard.js'
import { RollupMemory } from '../../dist/src/rollup/rollup-memory.js'
import { openSqliteStore } from '../../dist/src/store/sqlite/store.js'
import { compactDay } from '../../dist/src/upkeep/compact-day.js'
import { median } from './measure.mjs'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 5, 1) / DAY_MS
const BATCH_LINES = 500
/** Batches in hand at once: they share a commit. */
const BATCHES_IN_HAND = 64
const SETTINGS = {
  defaultZone: 'UTC',
  rollupAtMinute: 20,
  daytime: { startMinute: 360, endMinute: 1080 },
  silenceLimitMs: 7 * DAY_MS,
  doorCount: 'events',
}

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '2500' },
    // Of the late event.
    fleets: { type: 'string', default: '1000,10000,100000' },
    days: { type: 'string', default: '31' },
    runs: { type: 'string', default: '5' },
  },
})
const runs = Number(options.runs)
const work = mkdtempSync(join(tmpdir(), 'cooler-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

const id = (device) => `CLR-${String(device).padStart(6, '0')}`

/** About 290 events of a device and day, as lines in the order of their arrival: readings, doors, visitors, power and fixes. */
function* linesOf(devices, day, { from = 0, to = 1440 } = {}) {
  const midnight = (FIRST_DAY + day) * DAY_MS
  for (let minute = from; minute < to; minute += 5) {
    for (let device = 0; device < devices; device++) {
      const at = midnight + minute * 60_000 + (device % 300) * 1000
      const of = `{"deviceId":"${id(device)}","at":${at},`
      const slot = minute / 5 + device
      if (slot % 6 === 0) yield `${of}"type":"door","open":${slot % 12 === 0}}`
      else if (slot % 11 === 0) yield `${of}"type":"visitor","count":${slot % 4}}`
      else if (slot % 23 === 0) yield `${of}"type":"gps","lat":${52 + device / 1e4},"lon":13.4,"accuracy":12.5}`
      else if (slot % 71 === 0) yield `${of}"type":"power","on":${slot % 2 === 0}}`
      else yield `${of}"type":"temperature","celsius":${(slot % 60) / 10},"setpoint":4}`
    }
  }
}

function* batchesOf(devices, day, minutes) {
  let lines = []
  for (const line of linesOf(devices, day, minutes)) {
    lines.push(line)
    if (lines.length < BATCH_LINES) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

const memory = new RollupMemory()
const opened = (name) => openSqliteStore({ location: join(work, name), rejectsKept: 1000 })
const landingInto = (store) => new Landing(store.landing, { now: Date.now, purgedBefore: () => 0 })

async function landAll(landing, batches) {
  for (let from = 0; from < batches.length; from += BATCHES_IN_HAND) {
    await Promise.all(batches.slice(from, from + BATCHES_IN_HAND).map((ndjson) => landing.land({ ndjson })))
  }
}

async function rollUp(store, request = { now: Date.now() }) {
  const result = { deviceDays: 0, events: 0 }
  for (const shard of await store.due.shards()) {
    const { deviceDays, events } = await rollUpShard(store, shard, SETTINGS, request, memory)
    result.deviceDays += deviceDays
    result.events += events
  }
  return result
}

async function secondsOf(work) {
  const from = performance.now()
  const result = await work()
  return { seconds: (performance.now() - from) / 1000, result }
}

async function landingBesideParse() {
  // Bytes, not strings: a million of them would keep the garbage collector busy while landing is timed.
  const arrays = []
  const ndjson = []
  let events = 0
  for (const batch of batchesOf(Number(options.devices), 0)) {
    arrays.push(Buffer.from(`[${batch.join(',')}]`))
    ndjson.push(Buffer.from(batch.join('\n')))
    events += batch.length
  }
  const seconds = { parse: [], land: [] }
  for (let run = 0; run < runs; run++) {
    seconds.parse.push((await secondsOf(() => arrays.forEach((bytes) => void JSON.parse(bytes.toString())))).seconds)
    const store = opened(`landing-${run}`)
    const landing = landingInto(store)
    seconds.land.push((await secondsOf(() => landAll(landing, ndjson))).seconds)
    store.close()
  }
  const [parse, land] = [median(seconds.parse), median(seconds.land)]
  console.log(
    `\nLanding ${events.toLocaleString('en')} events in batches of ${BATCH_LINES}, beside JSON.parse of the same`,
  )
  console.table({
    'JSON.parse': { seconds: parse.toFixed(2) },
    landing: { seconds: land.toFixed(2), ratio: (land / parse).toFixed(2) },
  })
}

async function rollupAsEventsGrow() {
  const rows = {}
  for (const factor of [1, 4, 16]) {
    const devices = Number(options.devices) * factor
    const store = opened(`growth-${factor}`)
    const landing = landingInto(store)
    for (const batch of batchesOf(devices, 0)) await landing.land({ ndjson: Buffer.from(batch.join('\n')) })
    const { seconds, result } = await secondsOf(() => rollUp(store))
    rows[`${factor}x`] = {
      devices,
      events: result.events,
      'device-days': result.deviceDays,
      seconds: seconds.toFixed(2),
      'us an event': ((seconds * 1e6) / result.events).toFixed(2),
      'memory MB': (process.memoryUsage.rss() / 1e6).toFixed(0),
    }
    store.close()
  }
  console.log('\nRollup as events grow, one thread')
  console.table(rows)
}

async function rollupAsTheStoreAges() {
  const store = opened('age')
  const landing = landingInto(store)
  const rows = {}
  const devices = Number(options.devices) / 5
  for (let day = 0; day < 60; day++) {
    for (const batch of batchesOf(devices, day)) await landing.land({ ndjson: Buffer.from(batch.join('\n')) })
    const { seconds } = await secondsOf(() => rollUp(store))
    if (day % 10 === 9) rows[`${day + 1} days`] = { devices, seconds: seconds.toFixed(2) }
  }
  store.close()
  console.log(
    '\nRollup of one more day as the store ages, one thread (the days behind it are silent ones, computed again)',
  )
  console.table(rows)
}

/** Two events a device and day: what counts here is how many devices and days there are beside the late one's. */
async function lateEventAsTheFleetGrows() {
  const rows = {}
  for (const devices of options.fleets.split(',').map(Number)) {
    const store = opened(`late-${devices}`)
    const landing = landingInto(store)
    for (let day = 0; day < Number(options.days); day++) {
      for (let from = 0; from < devices; from += 5000) {
        const events = []
        for (let device = from; device < Math.min(devices, from + 5000); device++) {
          const at = (FIRST_DAY + day) * DAY_MS + 36_000_000 + (device % 3600) * 1000
          events.push(`{"deviceId":"${id(device)}","at":${at},"type":"visitor","count":2}`)
          events.push(`{"deviceId":"${id(device)}","at":${at + 500},"type":"temperature","celsius":4.2}`)
        }
        await landing.land({ ndjson: Buffer.from(events.join('\n')) })
      }
      if (day % 8 === 7) await rollUp(store)
    }
    await rollUp(store)
    for (const { shard, utcDay } of await store.archive.daysToCompact(FIRST_DAY + Number(options.days))) {
      await compactDay(store.archive, shard, utcDay)
    }
    const times = []
    for (let run = 0; run < runs * 3; run++) {
      const at = (FIRST_DAY + 10) * DAY_MS + 50_000_000 + run
      await landing.land({ events: [{ deviceId: id(Math.floor(devices / 2)), at, type: 'visitor', count: 1 }] })
      times.push((await secondsOf(() => rollUp(store))).seconds * 1000)
    }
    rows[devices.toLocaleString('en')] = {
      'ms from due to settled': median(times).toFixed(1),
      'at most': Math.max(...times).toFixed(1),
    }
    store.close()
  }
  console.log(`\nA late event in a fleet of so many devices x ${options.days} days, compacted`)
  console.table(rows)
}

/** Each hour of a day lands and is rolled up. Late: beside, one device in 1000 sends an event of two hours before. */
async function refreshAsTheDayGrows() {
  const devices = Number(options.devices)
  const rows = {}
  for (const late of [false, true]) {
    const store = opened(`refresh-${late}`)
    const landing = landingInto(store)
    for (let hour = 0; hour < 24; hour++) {
      const batches = [...batchesOf(devices, 0, { from: hour * 60, to: (hour + 1) * 60 })]
      await landAll(
        landing,
        batches.map((lines) => Buffer.from(lines.join('\n'))),
      )
      const now = FIRST_DAY * DAY_MS + (hour + 1) * 3_600_000
      const events = []
      for (let device = 0; late && device < devices; device += 1000)
        events.push({ deviceId: id(device), at: now - 7_199_000, type: 'door', open: true })
      await landing.land({ events })
      const { seconds, result } = await secondsOf(() => rollUp(store, { now, refresh: true }))
      if (![1, 6, 12, 18, 24].includes(hour + 1)) continue
      const row = (rows[`${hour + 1}:00`] ??= { 'events read': result.events, ms: (seconds * 1000).toFixed(0) })
      if (late)
        Object.assign(row, {
          'events read with late ones': result.events,
          'ms with late ones': (seconds * 1000).toFixed(0),
        })
    }
    store.close()
  }
  console.log(`\nA refresh after each hour of a day of ${devices.toLocaleString('en')} devices, one thread`)
  console.table(rows)
}

await landingBesideParse()
await rollupAsEventsGrow()
await rollupAsTheStoreAges()
await lateEventAsTheFleetGrows()
await refreshAsTheDayGrows()
