import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FleetTotals } from '../../src/report/fleet/fleet-totals.ts'
import type { Store } from '../../src/store/open-store.ts'
import { weekOf } from '../../src/store/week.ts'
import { sumWeeks } from '../../src/upkeep/sum-weeks.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, HOUR_MS, land, NOW, rollUp, SETTINGS, visitor } from '../rollup/shard-fixture.ts'
import { differences, repaired } from '../verify/verify-fixture.ts'

/** 2024-05-02 is the first day of a week. */
const FIRST = Date.parse('2024-05-02T00:00:00Z') / (24 * HOUR_MS)
const WEEK = weekOf(FIRST)

/** Four weeks, all but one day with readings; May 14 has none of any kind. */
async function fourWeeks() {
  const store = temporaryStore()
  for (let day = 2; day < 30; day++) {
    const date = `05-${String(day).padStart(2, '0')}`
    if (day === 14) continue
    await land(store, visitor(`${date}T10:00`, day), event(`${date}T11:00`, { type: 'temperature', celsius: day - 20 }))
  }
  await rollUp(store)
  return store
}

/** The totals of the first block over some days, counted from the first. */
async function totalsOf({ rollups }: Store, from: number, to: number) {
  const totals = new FleetTotals(1)
  let read = 0
  await rollups.eachBodies([{ shard: 0, block: 0 }], FIRST + from, FIRST + to, (bodies, nth) => {
    totals.add(bodies, nth)
    read += bodies.days.length
  })
  return { values: [...totals.values.subarray(0, 20)], read }
}

const weeksOf = async ({ rollups }: Store) => (await rollups.weeks(0, 0, 0, 100_000)).map(({ week }) => week - WEEK)

test('sums are kept of the weeks that end before a day, once', async () => {
  const store = await fourWeeks()
  expect(await sumWeeks(store.rollups, 0, FIRST + 20)).toBe(2)
  expect(await weeksOf(store)).toEqual([0, 1])
  expect(await sumWeeks(store.rollups, 0, FIRST + 28)).toBe(2)
  expect(await sumWeeks(store.rollups, 0, FIRST + 28)).toBe(0)
  expect(await weeksOf(store)).toEqual([0, 1, 2, 3])
})

test('every range adds up to the same with sums and without, also where sums of some weeks are missing', async () => {
  const store = await fourWeeks()
  const ranges = Array.from({ length: 28 }, (_, from) => [0, 5, 6, 7, 13, 20, 27].map((more) => [from, from + more]))
  const before = []
  for (const [from, to] of ranges.flat()) before.push((await totalsOf(store, from, to)).values)
  await sumWeeks(store.rollups, 0, FIRST + 28)
  for (const gone of [null, 1, 0, 3]) {
    const database = new Database(store.file)
    if (gone !== null) database.prepare('DELETE FROM rollup_week WHERE week = ?').run(WEEK + gone)
    database.close()
    for (const [nth, [from, to]] of ranges.flat().entries())
      expect((await totalsOf(store, from, to)).values, `${from} to ${to}`).toEqual(before[nth])
  }
})

test('a range reads the sums of whole weeks, and the days at its ends', async () => {
  const store = await fourWeeks()
  expect((await totalsOf(store, 0, 27)).read).toBe(27)
  await sumWeeks(store.rollups, 0, FIRST + 28)
  expect((await totalsOf(store, 0, 27)).read).toBe(4)
  expect((await totalsOf(store, 3, 25)).read).toBe(4 + 2 + 5)
  expect((await totalsOf(store, 1, 6)).read).toBe(6)
})

test('a late event makes the sums of its week go, and no others', async () => {
  const store = await fourWeeks()
  await sumWeeks(store.rollups, 0, FIRST + 28)
  const before = await totalsOf(store, 0, 27)
  await land(store, visitor('05-10T12:00', 1000))
  await rollUp(store)
  expect(await weeksOf(store)).toEqual([0, 2, 3])
  const after = await totalsOf(store, 0, 27)
  expect(after.values[0]).toBe(before.values[0] + 1000)
  await sumWeeks(store.rollups, 0, FIRST + 28)
  expect((await totalsOf(store, 0, 27)).values).toEqual(after.values)
})

describe('a verification', () => {
  test('finds sums that are not those of their days, and lets the upkeep make them again', async () => {
    const store = await fourWeeks()
    await sumWeeks(store.rollups, 0, FIRST + 28)
    const database = new Database(store.file)
    onTestFinished(() => void database.close())
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
    // The sums of one week in the place of another do not fit its checksum; sums of days that are gone do.
    database.exec(
      `UPDATE rollup_week SET body = (SELECT body FROM rollup_week WHERE week = ${WEEK}) WHERE week = ${WEEK + 1}`,
    )
    await expect(totalsOf(store, 7, 13)).rejects.toThrow('sums of the week from 20240509')
    database.prepare('DELETE FROM rollup_block WHERE day = ?').run(FIRST + 20)
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual([
      '20240522 0 missing',
      '20240509 0 row',
      '20240516 0 row',
    ])
    await repaired(store, SETTINGS, { now: NOW })
    await rollUp(store)
    expect(await weeksOf(store)).not.toContain(1)
    expect(await weeksOf(store)).not.toContain(2)
    await sumWeeks(store.rollups, 0, FIRST + 28)
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual([])
    expect(await weeksOf(store)).toEqual([0, 1, 2, 3])
  })

  test('finds sums of days that have no rollup', async () => {
    const store = await fourWeeks()
    await sumWeeks(store.rollups, 0, FIRST + 28)
    const database = new Database(store.file)
    onTestFinished(() => void database.close())
    database.exec(`UPDATE rollup_week SET week = ${WEEK + 9} WHERE week = ${WEEK}`)
    expect(await differences(store, SETTINGS, { now: NOW })).toEqual(['20240704 0 row'])
  })
})
