import { Landing } from '../../src/ingest/landing.ts'
import { openStore, type Store } from '../../src/open-store.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { RollupSettings } from '../../src/rollup/rollup-request.ts'
import { dailyEntries, type ReportContext, summaryEntries } from '../../src/summary/report.ts'
import type { Settings } from '../reference/settings.ts'

/** The reference's settings as the product has them. */
export const productSettings = (settings: Settings): RollupSettings => ({
  defaultZone: settings.defaultTimezone,
  rollupAtMinute: 20,
  daytime: { startMinute: settings.daytimeStartMinute, endMinute: settings.daytimeEndMinute },
  silenceLimitMs: settings.silenceLimitHours * 3_600_000,
  doorCount: settings.doorCount,
})

export async function rollUpAll(store: Store, settings: RollupSettings, now: number, refresh = false): Promise<void> {
  for (let shard = 0; shard < store.raw.shards; shard++) await rollUpShard(store, shard, settings, { now, refresh })
}

export async function landAll(store: Store, batches: readonly (readonly unknown[])[], now: number): Promise<void> {
  const landing = new Landing(store.raw, { now: () => now, purgedBefore: () => 0 })
  await Promise.all(batches.map((events) => landing.land({ events })))
}

export const reportContext = (store: Store, settings: RollupSettings, now: number): ReportContext => ({
  registry: store.registry,
  report: store.report,
  defaultZone: settings.defaultZone,
  now,
})

export { dailyEntries, openStore, summaryEntries }
