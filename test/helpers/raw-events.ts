import { EventBatch } from '../../src/event/event-batch.ts'
import { type EventColumns, NO_SEQ } from '../../src/event/event-columns.ts'
import type { ReadableEvent } from '../../src/event/readable-event.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { RollupSettings } from '../../src/rollup/rollup-request.ts'
import { deviceEvents } from '../../src/store/device-events.ts'
import { END_OF_TIME } from '../../src/store/due.ts'
import type { Store } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'

export const SETTINGS: RollupSettings = {
  defaultZone: 'UTC',
  rollupAtMinute: 0,
  daytime: { startMinute: 360, endMinute: 1080 },
  silenceLimitMs: 48 * 3_600_000,
  doorCount: 'events',
}

/** After every event of these tests. */
export const LONG_AFTER = Date.parse('2030-01-01T00:00:00Z')

/** One event to land, by its kept values; `at` in epoch ms. */
export interface Raw {
  id: string
  at: number
  kind: number
  a: number
  b?: number
  seq?: number
  address?: string
}

export function batchOf(events: readonly Raw[]): EventBatch {
  const batch = new EventBatch()
  for (const { id, at, kind, a, b = 0, seq = NO_SEQ, address } of events) {
    if (address !== undefined) batch.addresses.set(batch.count, address)
    batch.add(id, at, seq, kind, a, b)
  }
  return batch
}

/** One landing for each list. */
export async function landRaw(
  { landing }: Pick<Store, 'landing'>,
  ...landings: readonly (readonly Raw[])[]
): Promise<void> {
  for (const events of landings) await landing.land(batchOf(events), 0, END_OF_TIME)
}

export async function rollUpAllShards(store: Store, now = LONG_AFTER): Promise<void> {
  for (let shard = 0; shard < store.archive.shards; shard++) await rollUpShard(store, shard, SETTINGS, { now })
}

/** Compacts all days of all shards that can be; gives the number of events that were. */
export async function compactAll({ archive }: Pick<Store, 'archive'>): Promise<number> {
  let events = 0
  for (const { shard, utcDay } of await archive.daysToCompact(END_OF_TIME))
    events += await compactDay(archive, shard, utcDay)
  return events
}

const rowsOf = (utcDay: number, { count, device, at, kind, a, b, seq, addresses }: EventColumns): string[] =>
  Array.from({ length: count }, (_, row) =>
    JSON.stringify([
      device[row],
      utcDay,
      at[row],
      seq?.[row] ?? NO_SEQ,
      kind[row],
      a[row],
      b[row],
      addresses?.get(row) ?? null,
    ]),
  )

/** Every event of a UTC day of a shard as a line, sorted; repeats as often as they are there. */
export async function linesOfDay(
  { archive }: Pick<Store, 'archive'>,
  shard: number,
  utcDay: number,
  devices?: number[],
) {
  const all = await archive.eventsOfDay(shard, utcDay, devices === undefined ? {} : { devices })
  return all.flatMap((columns) => rowsOf(utcDay, columns)).sort()
}

/** Every event of the store, read in each of the three ways in which events are read. */
export interface Reading {
  byDay: string[]
  byDevice: string[]
  readable: Record<number, ReadableEvent[]>
}

export async function readEverything(store: Store): Promise<Reading> {
  const devices = (await store.registry.devices()).map(({ number }) => number).sort((one, other) => one - other)
  const reading: Reading = { byDay: [], byDevice: [], readable: {} }
  const { archive } = store
  for (let shard = 0; shard < archive.shards; shard++) {
    for (let day = await archive.nextDay(shard, 0); day !== null; day = await archive.nextDay(shard, day + 1)) {
      reading.byDay.push(...(await linesOfDay(store, shard, day)))
      for (const device of devices) {
        if (device % archive.shards !== shard) continue
        const lines = await linesOfDay(store, shard, day, [device])
        reading.byDevice.push(...lines.filter((line) => JSON.parse(line)[0] === device))
      }
    }
  }
  for (const device of devices) reading.readable[device] = await readable(store, device)
  return { ...reading, byDay: reading.byDay.sort(), byDevice: reading.byDevice.sort() }
}

/** Events of one instant come in no certain order. */
async function readable({ archive }: Store, device: number): Promise<ReadableEvent[]> {
  const events: ReadableEvent[] = []
  for await (const { event } of deviceEvents(archive, device, { fromAt: 0, toAt: END_OF_TIME })) events.push(event)
  const text = (event: ReadableEvent): string => JSON.stringify(event)
  return events.sort((one, other) => (text(one) < text(other) ? -1 : 1))
}

/** Rows of a table, bodies as their bytes in hexadecimal. */
export interface CompactedRow {
  id: number
  shard: number
  utcDay: number
  group: number
  count: number
  body: string
}

export const COMPACTED_ROWS =
  'SELECT id, shard, utc_day AS utcDay, device_group AS "group", count, hex(body) AS body FROM compacted ORDER BY id'
