// A store with rollups of a large fleet, written as a rollup commits them: for what reads reports, a year of events is
// not needed. The figures are those that the peers' report bench makes up.

import { emptyDeviceDay } from '../../dist/src/store/device-day.js'
import { openStore } from '../../dist/src/store/open-store.js'
import { placeOf } from '../../dist/src/store/rollup-store.js'
import { sumWeeks } from '../../dist/src/upkeep/sum-weeks.js'

const DAY_MS = 86_400_000
const WITHOUT_SEQ = -1

export const deviceId = (index) => `CLR-${String(index).padStart(6, '0')}`

/** The rollup of the index-th device on the k-th day, which begins at `startAt` (epoch ms). */
export function deviceDay(index, k, startAt) {
  const warmest = (index * 13 + k * 7) % 600
  const onMs = ((index * 1009 + k * 7919) % 86_400) * 1000
  return {
    ...emptyDeviceDay(),
    startAt,
    lengthMs: DAY_MS,
    passedMs: DAY_MS,
    visitors: (index * 7 + k * 13) % 200,
    doors: (index * 11 + k * 29) % 300,
    celsiusSum: (warmest + 200) * 960,
    celsiusCount: 96,
    celsiusMin: warmest * 10,
    celsiusMax: (warmest + 500) * 10,
    setpointSum: 96_000 * (2 + (index % 4)),
    setpointCount: 96,
    onMs,
    onDaytimeMs: onMs / 2,
    offMs: DAY_MS - onMs,
    distanceSumMm: 24 * ((index * 3 + k * 5) % 3000) * 100,
    distanceCount: 24,
    events: 347,
    power: 2,
    door: 1,
    lastHeardAt: startAt + DAY_MS - 1000 - (index % 600) * 1000,
  }
}

/** Registers the devices, with a placement each, and stores their rollups of `days` UTC days from `firstDay` (epoch day) on. */
export async function makeReportStore(location, { devices, days, firstDay }) {
  const store = await openStore({ location, rejectsKept: 1000 })
  try {
    await register(store, devices, firstDay * DAY_MS)
    const { shards } = store.rollups
    const numbers = (await store.registry.devices()).map(({ id, number }) => ({ number, index: Number(id.slice(4)) }))
    for (let shard = 0; shard < shards; shard++) {
      const ofShard = numbers.filter(({ number }) => number % shards === shard)
      await store.rollups.commit(commitOf({ shard, shards, devices: ofShard, days, firstDay }))
    }
    // As the upkeep does within the hour.
    for (let shard = 0; shard < shards; shard++) await sumWeeks(store.rollups, shard, firstDay + days)
  } finally {
    await store.close()
  }
}

/** Numbers follow the order of the ids, since a first landing gives them in the order in which they come. */
async function register(store, devices, at) {
  const ids = Array.from({ length: devices }, (_, index) => deviceId(index))
  const placements = ids.map((_, device) => ({
    device,
    at,
    seq: WITHOUT_SEQ,
    lat: 520_000_000 + device,
    lon: 130_000_000 + device,
    zone: 'UTC',
    address: `${device} Market Street`,
  }))
  const none = (Columns) => new Columns(0)
  const columns = { device: none(Int32Array), at: none(Float64Array), kind: none(Uint8Array), seq: none(Float64Array) }
  const values = { a: none(Int32Array), b: none(Int32Array), addresses: new Map() }
  await store.landing.land({ ids, count: 0, ...columns, ...values, placements, rejects: [], import: null }, at)
}

/**
 * A commit of a shard with the rollups of these devices of it (their numbers, and the indexes that their figures are made
 * up from), and of their states.
 */
export function commitOf({ shard, shards, devices, days, firstDay, version = 0 }) {
  const changes = new Map()
  const states = new Map()
  const now = (firstDay + days + 1) * DAY_MS
  for (const { number, index } of devices) {
    const { block, slot } = placeOf(number, shards)
    if (!changes.has(block)) changes.set(block, new Map())
    for (let k = 0; k < days; k++) {
      const ofBlock = changes.get(block)
      if (!ofBlock.has(firstDay + k)) ofBlock.set(firstDay + k, new Map())
      ofBlock.get(firstDay + k).set(slot, deviceDay(index, k, (firstDay + k) * DAY_MS))
    }
    const fix = { at: now - 2 * DAY_MS, seq: WITHOUT_SEQ, lat: 520_000_000 + index, lon: 130_000_000 + index }
    states.set(number, {
      firstHeardAt: firstDay * DAY_MS,
      lastHeardAt: now - 2 * DAY_MS,
      firstFix: fix,
      lastFix: { ...fix, address: null },
    })
  }
  const nothing = { doneSegments: [], doneDevices: [], furtherDue: [], revisions: [], erasedDays: [] }
  return { shard, version, now, changes, states, ...nothing }
}
