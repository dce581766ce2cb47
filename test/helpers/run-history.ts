import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Landing } from '../../src/ingest/landing.ts'
import { dailyEntries, type ReportContext, summaryEntries } from '../../src/report/report.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import { RollupMemory } from '../../src/rollup/rollup-memory.ts'
import type { RollupSettings } from '../../src/rollup/rollup-request.ts'
import type { Store } from '../../src/store/open-store.ts'
import { openPostgresStore } from '../../src/store/postgres/store.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { Settings } from '../reference/settings.ts'
import { dropDatabase } from './postgres-database.ts'
import { createStoreDatabase } from './temporary-database.ts'

/** The reference's settings as the product has them. */
export const productSettings = (settings: Settings): RollupSettings => ({
  defaultZone: settings.defaultTimezone,
  rollupAtMinute: 20,
  daytime: { startMinute: settings.daytimeStartMinute, endMinute: settings.daytimeEndMinute },
  silenceLimitMs: settings.silenceLimitHours * 3_600_000,
  doorCount: settings.doorCount,
})

/** Used again by every rollup, as a thread does. */
const memory = new RollupMemory()

export async function rollUpAll(store: Store, settings: RollupSettings, now: number, refresh = false): Promise<void> {
  for (let shard = 0; shard < store.archive.shards; shard++)
    await rollUpShard(store, shard, settings, { now, refresh }, memory)
}

export async function landAll(store: Store, batches: readonly (readonly unknown[])[], now: number): Promise<void> {
  const landing = new Landing(store.landing, { now: () => now, purgedBefore: () => 0 })
  await Promise.all(batches.map((events) => landing.land({ events })))
}

export const reportContext = (store: Store, settings: RollupSettings, now: number): ReportContext => ({
  registry: store.registry,
  rollups: store.rollups,
  defaultZone: settings.defaultZone,
  now,
})

/** A store for one run of a property, of which there are many in one test: a file or, if so set, in PostgreSQL. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const { store, remove } = process.env.TEST_ENGINE === 'postgres' ? await newPostgres() : newFile()
  try {
    return await work(store)
  } finally {
    await store.close()
    await remove()
  }
}

function newFile() {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
  const store = openSqliteStore({ location: join(folder, 'store.sqlite'), rejectsKept: 1000 })
  return { store, remove: () => rmSync(folder, { recursive: true }) }
}

/** As many as a file has. */
const SHARDS = 16

async function newPostgres() {
  const location = await createStoreDatabase(SHARDS)
  const store = await openPostgresStore({ location, rejectsKept: 1000 }, SHARDS)
  return { store, remove: () => dropDatabase(location) }
}

/** Cuts a list at the given places, taken modulo its length. */
export function cut<Item>(items: readonly Item[], places: readonly number[]): Item[][] {
  const at = [...new Set(places.map((place) => place % (items.length + 1)))].sort((one, other) => one - other)
  return [...at, items.length].map((end, index) => items.slice(index === 0 ? 0 : at[index - 1], end))
}

export { dailyEntries, openSqliteStore, summaryEntries }
