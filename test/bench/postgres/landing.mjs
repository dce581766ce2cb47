// Landing a day of a fleet, by one writer in this thread or by several threads; and what becomes of the events.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { rollUpShard } from '../../../dist/src/rollup/roll-up-shard.js'
import { RollupMemory } from '../../../dist/src/rollup/rollup-memory.js'
import { newWriteTurn } from '../../../dist/src/store/open-store.js'
import { compactDay } from '../../../dist/src/upkeep/compact-day.js'
import { measured, opened, POSTGRES } from './engines.mjs'
import { eventsIn } from './groups.mjs'

const HOUR_MS = 3_600_000
const SETTINGS = {
  defaultZone: 'UTC',
  rollupAtMinute: 20,
  daytime: { startMinute: 360, endMinute: 1080 },
  silenceLimitMs: 168 * HOUR_MS,
  doorCount: 'events',
}
const memory = new RollupMemory()

/** A store in which the devices are registered, by one group after another; with what that took. */
export async function registeredStore(engine, registrations) {
  const location = await engine.newLocation()
  const store = await opened(location)
  const registering = await measured(engine, async () => {
    for (const group of registrations) await store.landing.land(group, Date.now())
  })
  return { location, store, registering }
}

/** Lands groups by one writer. */
export async function landByOne(engine, store, groups) {
  // The registry of devices is read once in the life of a program.
  await store.landing.land({ ...groups[0], count: 0 }, Date.now())
  return measured(engine, async () => {
    for (const group of groups) await store.landing.land(group, Date.now())
  })
}

/** Lands groups by several threads, in turn. */
export async function landBySeveral(engine, location, groups, writers) {
  const turn = engine.name === POSTGRES ? null : newWriteTurn()
  const threads = Array.from({ length: writers }, (_, nth) => {
    const own = groups.filter((_, index) => index % writers === nth)
    return new Worker(new URL('./writer.mjs', import.meta.url), { workerData: { location, turn, groups: own } })
  })
  const all = (word) => Promise.all(threads.map((thread) => said(thread, word)))
  await all('ready')
  const took = await measured(engine, async () => {
    const done = all('done')
    for (const thread of threads) thread.postMessage('land')
    await done
  })
  const ended = threads.map((thread) => once(thread, 'exit'))
  for (const thread of threads) thread.postMessage('end')
  await Promise.all(ended)
  return took
}

function said(thread, word) {
  return new Promise((resolve, reject) => {
    thread.once('error', reject)
    thread.once('message', (got) => (got === word ? resolve() : reject(new Error(`${got}`))))
  })
}

/** Reads all events of each shard and UTC day, in a snapshot for each shard. */
export function readDays(engine, store) {
  return measured(engine, async () => {
    let events = 0
    for (let shard = 0; shard < store.archive.shards; shard++) {
      await store.snapshot(async ({ archive }) => {
        for (let day = await archive.nextDay(shard, 0); day !== null; day = await archive.nextDay(shard, day + 1)) {
          for (const { count } of await archive.eventsOfDay(shard, day)) events += count
        }
      })
    }
    return events
  })
}

/** Rolls up all that is due. */
export function rollUp(engine, store, request, options) {
  return measured(
    engine,
    async () => {
      const total = { deviceDays: 0, events: 0 }
      for (let shard = 0; shard < store.rollups.shards; shard++) {
        const { deviceDays, events } = await rollUpShard(store, shard, SETTINGS, request, memory)
        total.deviceDays += deviceDays
        total.events += events
      }
      return total
    },
    options,
  )
}

/** Compacts all days. */
export function compact(engine, store) {
  return measured(engine, async () => {
    let events = 0
    for (const { shard, utcDay } of await store.archive.daysToCompact(2 ** 31 - 1))
      events += await compactDay(store.archive, shard, utcDay)
    return events
  })
}

/** One run of a whole day on one engine: by name, what each step took. */
export async function runDay(engine, { groups, registration }) {
  const { location, store, registering } = await registeredStore(engine, [registration])
  const steps = { registering, landing: await landByOne(engine, store, groups) }
  const landedBytes = (await engine.tableBytes?.(location, 'segment')) ?? null
  steps.reading = await readDays(engine, store)
  const now = Math.max(...groups.map(({ at }) => at[at.length - 1])) + 24 * HOUR_MS
  steps.rollup = await rollUp(engine, store, { now })
  const rollupBytes = (await engine.tableBytes?.(location, 'rollup_block')) ?? null
  steps.compaction = await compact(engine, store)
  const compactedBytes = (await engine.tableBytes?.(location, 'compacted')) ?? null
  await store.close()
  await engine.drop(location)
  const events = eventsIn(groups)
  for (const step of ['reading', 'compaction']) {
    if (steps[step].result !== events)
      throw new Error(`${engine.name}: ${step} of ${steps[step].result} events, not ${events}`)
  }
  return { ...steps, bytes: { landed: landedBytes, compacted: compactedBytes, rollups: rollupBytes } }
}

/** One run of landing by several threads. */
export async function runWriters(engine, { groups, registration }, writers) {
  const { location, store } = await registeredStore(engine, [registration])
  const took = await landBySeveral(engine, location, groups, writers)
  const { landed } = await store.landing.counters()
  const expected = eventsIn(groups) + registration.placements.length
  if (landed !== expected) throw new Error(`${engine.name}: ${landed} landed, not ${expected}`)
  await store.close()
  await engine.drop(location)
  return took
}
