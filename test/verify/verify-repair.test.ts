import { describe, expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { LASTING_STATISTICS } from '../../src/store/device-day.ts'
import type { Store } from '../../src/store/open-store.ts'
import { placeOf } from '../../src/store/rollup-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { seededRandom } from '../helpers/random.ts'
import { landAll, rollUpAll } from '../helpers/run-history.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { rowName, spoilRows } from '../rollup/damage.ts'
import { event, figuresOf, land, NOW, power, rollUp, SETTINGS, visitor } from '../rollup/shard-fixture.ts'
import { changeBody, copyRow, differences, rawDatabase, repaired, verified } from './verify-fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SPOILT_ROWS = 100

const ZONES = ['Europe/Berlin', 'America/St_Johns', 'Pacific/Auckland', 'UTC']

/** Ten days of 90 coolers, the last one under way; all are on, so that of each day it shows how much had passed. */
function fleet(): object[] {
  const { below: random } = seededRandom(7)
  const start = NOW - 10 * DAY_MS
  return Array.from({ length: 90 }, (_, device) => {
    const of = (hours: number, fields: object) => ({ deviceId: `c${device}`, at: start + hours * HOUR_MS, ...fields })
    const placed = of(-48, { type: 'placement', lat: 1, lon: 1, timezone: ZONES[device % ZONES.length] })
    const events = Array.from({ length: 60 }, () => {
      const fields = [
        { type: 'power', on: random(2) === 0 },
        { type: 'visitor', count: random(1000) },
        { type: 'visitor', total: random(100_000) },
        { type: 'temperature', celsius: random(9000) / 1000 },
        { type: 'gps', lat: 1 + random(100) / 1e5, lon: 1 },
        { type: 'door', count: 1 + random(9) },
      ]
      return of(random(10 * 24 * 60) / 60, fields[random(fields.length)])
    })
    return [placed, of(0, { type: 'power', on: true }), of(239, { type: 'power', on: true }), ...events]
  }).flat()
}

async function filled() {
  const store = temporaryStore()
  await landAll(store, [fleet()], NOW)
  await rollUpAll(store, SETTINGS, NOW)
  return store
}

/** Which rows are told of. */
async function toldRows(store: Store): Promise<string[]> {
  const { differences } = await verified(store, SETTINGS, { now: NOW })
  const names = differences.map(({ device, day }) => {
    const { shard, block } = placeOf(device, store.rollups.shards)
    return rowName(shard, block, day as number)
  })
  return [...new Set(names)].sort()
}

const rowsOf = (file: string): unknown[] =>
  rawDatabase(file).prepare('SELECT shard, block, day, next_close_at, body FROM rollup_block ORDER BY 1, 2, 3').all()

describe.each([1, 2, 3, 4, 5])('of %i hundred spoilt rows', (seed) => {
  test('every one is found, no other is told of, and a repair and a rollup make them what they were', async () => {
    const store = await filled()
    const before = rowsOf(store.file)
    expect(await toldRows(store)).toEqual([])
    const spoilt = spoilRows(rawDatabase(store.file), SPOILT_ROWS, seed)
    expect(spoilt).toHaveLength(SPOILT_ROWS)
    expect(await toldRows(store)).toEqual(spoilt)
    if (seed === 1) {
      const days = await store.archive.daysToCompact(100_000)
      for (const { shard, utcDay } of days) await compactDay(store.archive, shard, utcDay)
      expect(await toldRows(store)).toEqual(spoilt)
    }
    await repaired(store, SETTINGS, { now: NOW })
    await rollUpAll(store, SETTINGS, NOW)
    expect(await toldRows(store)).toEqual([])
    expect(rowsOf(store.file)).toEqual(before)
  })
})

describe('a repair', () => {
  const day = (date: number): number => parseDay(date) as number
  const routine = ['10', '11', '12'].flatMap((date) => [
    power(`05-${date}T06:00`, true),
    visitor(`05-${date}T12:00`, 5),
  ])

  async function small() {
    const store = temporaryStore()
    await land(store, ...routine)
    await rollUp(store)
    return { store, database: rawDatabase(store.file) }
  }

  async function mended(store: Store): Promise<void> {
    await repaired(store, SETTINGS, { now: NOW })
    await rollUp(store)
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
    expect(await figuresOf(store, 'visitors')).toMatchObject({ 20240510: 5, 20240511: 5, 20240512: 5 })
  }

  test('keeps the wrong figures that people may have read', async () => {
    const { store, database } = await small()
    changeBody(database, day(20240511), (body) => body.writeDoubleLE(500, 16 + 3 * 9 + 1))
    await mended(store)
    expect(await store.rollups.revisions(0, day(20240511))).toMatchObject([
      { number: 1, causes: ['manual'], old: { visitors: 500 } },
    ])
    expect(await store.rollups.revisions(0, day(20240510))).toEqual([])
  })

  test('puts right every sign of a row, though 0 and -0 are the same figure', async () => {
    const { store, database } = await small()
    const select = database.prepare('SELECT body FROM rollup_block WHERE day = ?').pluck()
    const right = select.get(day(20240511)) as Buffer
    for (let field = 0; field < LASTING_STATISTICS.length; field++) {
      changeBody(database, day(20240511), (body) => {
        body[16 + field * 9 + 8] ^= 0x80 // Of one device alone a column is its width and a float64.
      })
      expect(await differences(store, SETTINGS, { now: NOW }), LASTING_STATISTICS[field]).toHaveLength(1)
      await repaired(store, SETTINGS, { now: NOW })
      await rollUp(store)
      expect(select.get(day(20240511)), LASTING_STATISTICS[field]).toEqual(right)
    }
    await mended(store)
  })

  test('keeps those of a day that should not be there, and of one with other bounds', async () => {
    const { store, database } = await small()
    copyRow(database, day(20240511), { day: day(20240601) })
    database.prepare('DELETE FROM rollup_block WHERE day = ?').run(day(20240510))
    copyRow(database, day(20240511), { day: day(20240510) })
    await mended(store)
    expect(await store.rollups.revisions(0, day(20240601))).toMatchObject([
      { causes: ['manual'], old: { visitors: 5 } },
    ])
    expect(await store.rollups.revisions(0, day(20240510))).toMatchObject([
      { old: { onMs: 24 * HOUR_MS } },
      { old: null },
    ])
  })

  test('of one device of a row that cannot be read has the others computed again, too', async () => {
    const store = temporaryStore()
    const ids = ['a', ...Array.from({ length: 15 }, (_, n) => `other ${n}`), 'b']
    for (const deviceId of ids) await land(store, ...routine.map((one) => ({ ...one, deviceId })))
    await rollUpAll(store, SETTINGS, NOW)
    rawDatabase(store.file).exec("UPDATE rollup_block SET body = x'00' WHERE shard = 0")
    await repaired(store, SETTINGS, { now: NOW, devices: [16], to: day(20240511) })
    const due = (await store.due.devices(0)).map(({ device, fromAt }) => [device, fromAt])
    expect(due).toEqual(['10', '11'].flatMap((date) => [0, 16].map((n) => [n, Date.parse(`2024-05-${date}`)])))
    await repaired(store, SETTINGS, { now: NOW })
    await rollUpAll(store, SETTINGS, NOW)
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
  })

  test('removes rows and slots of no device', async () => {
    const { store, database } = await small()
    for (const block of [1, -1, 1e9]) copyRow(database, day(20240511), { block, day: day(20240511) })
    const told = await differences(store, SETTINGS, { now: NOW })
    expect(told).toEqual([-1024, 1024, 1024e9].map((device) => `20240511 ${device} superfluous`))
    await mended(store)
    expect(database.prepare('SELECT DISTINCT block FROM rollup_block').all()).toEqual([{ block: 0 }])
  })

  test('puts right what is current of a device', async () => {
    const { store, database } = await small()
    await land(store, event('05-11T13:00', { type: 'gps', lat: 1, lon: 1, address: 'ä' }))
    await rollUp(store)
    const before = await store.rollups.states([0])
    for (const damage of [
      'UPDATE device_state SET first_fix_lat = 5, first_heard_at = 9999999999999',
      'DELETE FROM device_state',
    ]) {
      database.exec(damage)
      await mended(store)
      expect(await store.rollups.states([0])).toEqual(before)
    }
  })

  test('writes nothing where a rollup has committed since it read', async () => {
    const { store, database } = await small()
    database.exec('DELETE FROM rollup_block')
    const version = await store.rollups.version(0)
    const nothing = { unreadable: [], weeks: [], changes: new Map(), states: new Map(), revisions: [], now: NOW }
    const due = [{ device: 0, fromAt: 0, toAt: 0, causes: ['manual' as const] }]
    expect(await store.rollups.repair({ shard: 0, version: version - 1, ...nothing, due })).toBe(false)
    expect(await store.due.devices(0)).toEqual([])
    expect(await store.rollups.repair({ shard: 0, version, ...nothing, due })).toBe(true)
    expect(await store.rollups.version(0)).toBe(version + 1)
    expect(await store.due.devices(0)).toMatchObject(due)
  })

  test('leaves a row that cannot be read where raw events of its days are gone', async () => {
    const { store, database } = await small()
    await store.archive.pruneDay(day(20240601))
    database.prepare("UPDATE rollup_block SET body = x'' WHERE day = ?").run(day(20240510))
    await repaired(store, SETTINGS, { now: NOW })
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual(['20240510 0 damaged'])
  })
})
