import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { KeptFleet } from '../../src/report/fleet/fleet.ts'
import { FleetReports } from '../../src/report/fleet/fleet-report.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { Store } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { type Random, seededRandom } from '../helpers/random.ts'
import { dailyEntries, landAll, reportContext, rollUpAll, summaryEntries } from '../helpers/run-history.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { NOW, SETTINGS } from '../rollup/shard-fixture.ts'
import { differences, repaired } from '../verify/verify-fixture.ts'

const HOUR_MS = 3_600_000
const DAYS = 4
/** In the blocks of 16 shards. */
const DEVICES = 40

const FIRST_AT = Date.parse('2024-05-10T00:00:00Z')
const FROM = parseDay(20240510) as number
const damaged = expect.objectContaining({ code: 'store-damaged' })

const eventsOf = (days: number): object[] =>
  Array.from({ length: DEVICES }, (_, device) => {
    const at = (hours: number) => FIRST_AT + hours * HOUR_MS
    const of = (hours: number, fields: object) => ({ deviceId: `c${device}`, at: at(hours), ...fields })
    return Array.from({ length: days }, (_, day) => [
      of(24 * day + 1, { type: 'power', on: day % 2 === 0 }),
      of(24 * day + 2, { type: 'visitor', count: device + day }),
      of(24 * day + 3, {
        type: 'gps',
        lat: 1 + device / 1000,
        lon: 2,
        ...(device % 2 ? { address: `Kiosk ${device}` } : {}),
      }),
    ]).flat()
  }).flat()

/** A store of some days, half of them compacted. */
async function filled(): Promise<Store & { file: string }> {
  const store = temporaryStore()
  for (const events of [eventsOf(2), eventsOf(DAYS)]) await landAll(store, [events], NOW)
  await rollUpAll(store, SETTINGS, NOW)
  for (const { shard, utcDay } of await store.archive.daysToCompact(FROM + 2))
    await compactDay(store.archive, shard, utcDay)
  return store
}

const TABLES = {
  rollup_block: ['body'],
  segment: ['body'],
  compacted: ['body'],
  device_state: [
    ...['first_heard_at', 'last_heard_at', 'first_fix_at', 'first_fix_seq', 'first_fix_lat', 'first_fix_lon'],
    ...['last_fix_at', 'last_fix_seq', 'last_fix_lat', 'last_fix_lon', 'last_fix_address'],
    ...['last_fix_checksum', 'checksum'],
  ],
} as const

/** Flips one bit of one value of a table; the state that it was in comes back by what it gives. */
function flip(file: string, table: keyof typeof TABLES, { below, pick }: Random): () => void {
  const database = new Database(file)
  onTestFinished(() => void database.close())
  const ids = database.prepare(`SELECT rowid FROM ${table}`).pluck().all() as number[]
  const [id, column] = [pick(ids), pick(TABLES[table])]
  const before = database.prepare(`SELECT ${column} FROM ${table} WHERE rowid = ?`).pluck().get(id)
  const write = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`)
  if (Buffer.isBuffer(before)) {
    const after = Buffer.from(before)
    if (after.length > 0) after[below(after.length)] ^= 1 << below(8)
    write.run(after.length > 0 ? after : Buffer.of(1), id)
  } else {
    write.run(before === null ? 1 : Number(BigInt.asIntN(52, BigInt(before as number) ^ (1n << BigInt(below(31))))), id)
  }
  return () => void write.run(before, id)
}

const ids = Array.from({ length: DEVICES }, (_, device) => `c${device}`)
const range = { fromDay: FROM, toDay: FROM + DAYS }

/** Every way in which figures are read: of each device by itself, and of all at once. Refusals as their codes. */
async function figuresOf(store: Store): Promise<unknown[]> {
  const context = reportContext(store, SETTINGS, NOW)
  const fleet = new FleetReports(new KeptFleet('UTC'))
  const task = { ...range, within: null, now: NOW }
  const reads: (() => Promise<unknown>)[] = [
    ...ids.map((id) => () => summaryEntries(context, range, [id])),
    ...ids.map((id) => () => dailyEntries(context, FROM + 1, [id])),
    async () => Buffer.from((await fleet.summary(store, task)).bytes).toString(),
    async () => Buffer.from((await fleet.daily(store, { ...task, toDay: FROM })).bytes).toString(),
  ]
  return Promise.all(reads.map((read) => read().catch((error: { code: string }) => error.code ?? String(error))))
}

/** Rolls up all shards; those that are damaged say so. */
async function rollUp(store: Store): Promise<void> {
  for (let shard = 0; shard < store.archive.shards; shard++) {
    await rollUpShard(store, shard, SETTINGS, { now: NOW }).catch((error) => expect(error).toEqual(damaged))
  }
}

describe.each(Object.keys(TABLES) as (keyof typeof TABLES)[])('a bit of %s that is flipped', (table) => {
  test('gives no other figure, is found, and is mended as far as raw events can', async () => {
    const store = await filled()
    const right = await figuresOf(store)
    const random = seededRandom(table.length)
    for (let round = 0; round < 12; round++) {
      const restore = flip(store.file, table, random)
      const figures = await figuresOf(store)
      const refused = figures.filter((figure) => figure === 'store-damaged').length
      for (const [index, figure] of figures.entries())
        if (figure !== 'store-damaged') expect(figure).toEqual(right[index])
      // Devices of other blocks go on.
      expect(refused).toBeLessThan(figures.length / 4)
      expect(await differences(store, SETTINGS, { now: NOW })).not.toEqual([])
      await repaired(store, SETTINGS, { now: NOW })
      await rollUp(store)
      if (table === 'segment' || table === 'compacted') {
        expect(await differences(store, SETTINGS, { now: NOW })).toEqual(
          expect.arrayContaining([expect.stringMatching(/ raw$/)]),
        )
        restore()
      }
      expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
      expect(await figuresOf(store)).toEqual(right)
    }
  })
})

test('raw events that are damaged hold up the devices that need them and no others; all is made up when they are back', async () => {
  const [store, twin] = [await filled(), await filled()]
  const restore = flip(store.file, 'compacted', seededRandom(1))
  const late = [0, 1, 2].flatMap((day) =>
    ids.map((deviceId) => ({ deviceId, at: FIRST_AT + day * 24 * HOUR_MS, type: 'visitor', count: 500 })),
  )
  for (const one of [store, twin]) await landAll(one, [late, eventsOf(DAYS + 2)], NOW)
  await rollUpAll(twin, SETTINGS, NOW, true)
  await rollUp(store)
  const right = await figuresOf(twin)
  const ofEach = (await figuresOf(store)).slice(0, DEVICES)
  const behind = ofEach.filter((figure, index) => JSON.stringify(figure) !== JSON.stringify(right[index]))
  expect(behind.length).toBeGreaterThan(0)
  expect(behind.length).toBeLessThanOrEqual(DEVICES / 8)
  expect((await store.due.counts(NOW)).dueSegments).toBe(0)
  restore()
  await rollUpAll(store, SETTINGS, NOW)
  expect(await figuresOf(store)).toEqual(right)
  expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
  expect(await store.due.counts(NOW)).toMatchObject({ dueSegments: 0, dueDevices: 0 })
})

test('a due segment that is damaged stays due, and all is made up when it is back', async () => {
  const [store, twin] = [temporaryStore(), await filled()]
  await landAll(store, [eventsOf(2)], NOW)
  await rollUpAll(store, SETTINGS, NOW)
  await landAll(store, [eventsOf(DAYS)], NOW)
  const database = new Database(store.file)
  onTestFinished(() => void database.close())
  const select = database.prepare('SELECT id, body FROM segment WHERE id = (SELECT min(segment) FROM due_segment)')
  const { id, body } = select.get() as { id: number; body: Buffer }
  const write = database.prepare('UPDATE segment SET body = ? WHERE id = ?')
  const spoilt = Buffer.from(body)
  spoilt[20] ^= 4
  write.run(spoilt, id)
  for (let round = 0; round < 2; round++) {
    await rollUp(store)
    expect((await store.due.counts(NOW)).dueSegments).toBe(1)
  }
  expect(await differences(store, SETTINGS, { now: NOW })).toContainEqual(expect.stringMatching(/ raw$/))
  write.run(body, id)
  await rollUpAll(store, SETTINGS, NOW)
  expect(await figuresOf(store)).toEqual(await figuresOf(twin))
  expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
})
