import { describe, expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { Store } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { rollUpAll } from '../helpers/run-history.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { adoptOthers, event, HOUR_MS, land, NOW, power, rollUp, SETTINGS, visitor } from '../rollup/shard-fixture.ts'
import { type Asked, changeBody, differences, rawDatabase, verified } from './verify-fixture.ts'

const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
const day = (date: number): number => parseDay(date) as number
const check = (store: Store, asked: Partial<Asked> = {}, settings = SETTINGS) =>
  differences(store, settings, { now: NOW, ...asked })

const DAYS = ['09', '10', '11', '12', '13', '14']
const routine = DAYS.flatMap((date, index) => [
  power(`05-${date}T06:00`, true),
  visitor(`05-${date}T12:00`, 1),
  event(`05-${date}T18:00`, { type: 'visitor', total: 100 * index }),
])
const of = (deviceId: string, events: readonly object[]): object[] => events.map((one) => ({ ...one, deviceId }))

/** A store with six days of device `a`, number 0, and two more of its power. */
async function filled() {
  const store = temporaryStore()
  await land(store, ...routine)
  await rollUp(store)
  return store
}

/** Doubles the visitors of one stored day of the first device, as a hand in the store might. */
function spoil(file: string, date: number): void {
  const visitors = 16 + 3 * 9 + 1 // All columns of a single device are a width and a base.
  changeBody(rawDatabase(file), day(date), (body) => body.writeDoubleLE(2 * body.readDoubleLE(visitors), visitors))
}

describe('nothing is told of', () => {
  test('an empty store', async () => {
    expect(await verified(temporaryStore(), SETTINGS, { now: NOW })).toMatchObject({ devices: 0, deviceDays: 0 })
  })

  test('what has landed and was never rolled up', async () => {
    const store = temporaryStore()
    await land(store, ...routine)
    expect(await verified(store, SETTINGS, { now: NOW })).toMatchObject({ devices: 1, deviceDays: 0, differing: 0 })
  })

  test('late events and placements that wait for a rollup, nor of days that follow them', async () => {
    const store = await filled()
    await land(store, power('05-10T20:00', false), ...of('b', routine))
    expect(await verified(store, SETTINGS, { now: NOW })).toMatchObject({ deviceDays: 8, dueDevices: 0, differing: 0 })
    const placement = { at: 0, seq: NO_SEQ, lat: 0, lon: 0, zone: 'Asia/Tokyo', address: null }
    await store.registry.put('a', { placements: [placement] }, NOW)
    expect(await verified(store, SETTINGS, { now: NOW })).toMatchObject({ deviceDays: 0, dueDevices: 1, differing: 0 })
  })

  test('days under way that were rolled up at different instants', async () => {
    const settings = { ...SETTINGS, rollupAtMinute: 23 * 60 + 50 }
    const store = temporaryStore()
    await land(store, ...routine)
    await rollUp(store, { now: at('05-14T20:00') }, settings)
    await land(store, visitor('05-15T03:00', 1))
    await rollUp(store, { now: at('05-15T04:00') }, settings)
    const open = (await store.rollups.openBlocks(0, Infinity)).map((row) => row.day)
    expect(open).toEqual([day(20240514), day(20240515)])
    expect(await check(store, { now: at('05-15T05:00') }, settings)).toEqual([])
  })

  test('days that close at another time than the settings say by now', async () => {
    for (const [before, after] of [
      [20, 600],
      [600, 20],
    ]) {
      const store = temporaryStore()
      await land(store, ...routine)
      await rollUp(store, { now: at('05-14T02:00') }, { ...SETTINGS, rollupAtMinute: before })
      expect(await check(store, { now: at('05-14T02:00') }, { ...SETTINGS, rollupAtMinute: after })).toEqual([])
    }
  })

  test('rows of codec version 1, which has no closing', async () => {
    const store = await filled()
    const database = rawDatabase(store.file)
    const rows = database.prepare('SELECT rowid, body FROM rollup_block').all() as { rowid: number; body: Buffer }[]
    for (const { rowid, body } of rows) {
      const old = body.subarray(0, body.length - 8 - 9)
      old[0] = 1
      database.prepare('UPDATE rollup_block SET body = ? WHERE rowid = ?').run(old, rowid)
    }
    expect(await check(store)).toEqual([])
    // A newer row whose first byte says that it is an older one.
    const longer = "CAST(body || x'000000000000000000' AS BLOB)"
    database.prepare(`UPDATE rollup_block SET body = ${longer} WHERE day = ?`).run(day(20240511))
    expect(await check(store)).toEqual(['20240511 0 row'])
  })
})

describe('what is asked for is compared, and nothing else', () => {
  test('days', async () => {
    const store = await filled()
    spoil(store.file, 20240510)
    spoil(store.file, 20240512)
    const told = ['20240510 0 different visitors', '20240512 0 different visitors']
    expect(await check(store)).toEqual(told)
    expect(await check(store, { from: day(20240510), to: day(20240510) })).toEqual(told.slice(0, 1))
    expect(await check(store, { from: day(20240511) })).toEqual(told.slice(1))
    expect(await check(store, { to: day(20240511) })).toEqual(told.slice(0, 1))
    expect(await check(store, { from: day(20240513) })).toEqual([])
    for (const asked of [{ from: day(20240520) }, { to: day(20240501) }, { from: day(99991231) }])
      expect(await verified(store, SETTINGS, { now: NOW, ...asked })).toMatchObject({ deviceDays: 0, differing: 0 })
  })

  test('devices', async () => {
    const store = temporaryStore()
    // The first and the last are in one block.
    for (const id of ['a', ...Array.from({ length: 15 }, (_, n) => `other ${n}`), 'b']) {
      await land(store, ...of(id, routine))
    }
    await rollUpAll(store, SETTINGS, NOW)
    rawDatabase(store.file).exec('DELETE FROM rollup_block WHERE shard = 0')
    expect(await check(store, { to: day(20240509) })).toEqual(['20240509 0 missing', '20240509 16 missing'])
    expect(await check(store, { to: day(20240509), devices: [16] })).toEqual(['20240509 16 missing'])
    expect(await check(store, { devices: [3, 5] })).toEqual([])
  })

  test('days from one on take up what is stored of the day before', async () => {
    const store = await filled()
    rawDatabase(store.file).prepare('DELETE FROM rollup_block WHERE day = ?').run(day(20240510))
    expect(await check(store)).toEqual(['20240510 0 missing'])
    // Without it the next total counts from that of the day before.
    expect(await check(store, { from: day(20240511) })).toEqual(['20240511 0 different visitors'])
  })

  test('one device of a row that cannot be read, and where it hides what is carried on', async () => {
    const store = await filled()
    rawDatabase(store.file).prepare("UPDATE rollup_block SET body = x'09' WHERE day = ?").run(day(20240510))
    expect(await check(store)).toEqual(['20240510 0 damaged'])
    expect(await check(store, { devices: [0], from: day(20240511) })).toEqual(['20240510 0 damaged'])
    expect(await check(store, { from: day(20240512) })).toEqual([])
  })
})

describe('where raw events have been deleted', () => {
  const pruned = async () => {
    const store = await filled()
    await compactDay(store.archive, 0, day(20240509))
    for (let count = 0; count < 2; count++) await store.archive.pruneDay(day(20240601))
    return store
  }

  test('their days are left out and counted, and the first one after them takes up what is stored', async () => {
    const store = await pruned()
    spoil(store.file, 20240510)
    expect(await verified(store, SETTINGS, { now: NOW })).toMatchObject({ deviceDays: 6, withoutRaw: 2, differing: 0 })
    spoil(store.file, 20240511)
    expect(await check(store)).toEqual(['20240511 0 different visitors'])
  })

  test('a row of them that cannot be read is told all the same', async () => {
    const store = await pruned()
    rawDatabase(store.file).prepare("UPDATE rollup_block SET body = x'' WHERE day = ?").run(day(20240509))
    expect(await check(store)).toEqual(['20240509 0 damaged'])
  })
})

test('a store of other rules is not compared', async () => {
  const store = await filled()
  await adoptOthers(store)
  await expect(check(store)).rejects.toMatchObject({ code: 'other-rules' })
})

test('what is current of a device is compared with all of its events', async () => {
  const store = temporaryStore()
  const fix = (instant: string, lat: number, address: string) => event(instant, { type: 'gps', lat, lon: 10, address })
  const landing = new Landing(store.landing, { now: () => NOW, purgedBefore: () => 0 })
  await landing.land({
    events: [fix('05-10T12:00', 50, 'b'), fix('05-10T12:00', 50, 'ab'), fix('05-09T12:00', 51, 'z')],
  })
  await rollUpShard(store, 0, SETTINGS, { now: NOW })
  await landing.land({ events: [fix('05-10T12:00', 50, 'a')] })
  await rollUpShard(store, 0, SETTINGS, { now: NOW })
  expect(await check(store)).toEqual([])
  const database = rawDatabase(store.file)
  for (const [set, fields] of [
    ["last_fix_address = CAST('a' AS BLOB)", 'lastFix'],
    ['last_fix_at = NULL', 'lastFix'],
    [`first_heard_at = first_heard_at - ${HOUR_MS}, last_heard_at = 0`, 'firstHeardAt lastHeardAt lastFix'],
  ]) {
    database.exec(`UPDATE device_state SET ${set}, checksum = NULL, last_fix_checksum = NULL`)
    expect(await check(store)).toEqual([`now 0 state ${fields}`])
    expect(await check(store, { from: day(20240510) })).toEqual([])
  }
  database.exec('DELETE FROM device_state')
  expect(await check(store)).toEqual(['now 0 state firstHeardAt lastHeardAt firstFix lastFix'])
})
