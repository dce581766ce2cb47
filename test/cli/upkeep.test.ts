import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/base/time.ts'
import { lines, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { type Cooler, cooler } from './cooler.ts'
import { dailyOf, eventsOf, land, rollUp } from './in-process.ts'

const DAY_MS = 86_400_000

const daysAgo = (days: number): number => Date.now() - days * DAY_MS
const dateOf = (instant: number): string => String(formatDay(Math.floor(instant / DAY_MS)))

const ingest = async (program: Cooler, ...events: readonly object[]): Promise<void> => {
  expect((await program.run(['ingest', '-'], { input: lines(events) })).code).toBe(0)
}

const visitorCount = async (program: Cooler, day: string): Promise<number[]> =>
  (await dailyOf(program, Number(day))).map(({ visitorCount }) => visitorCount)

const reasons = async (program: Cooler): Promise<unknown> =>
  (await program.json('rejects', '--json')).map(({ reason }) => reason)

describe('prune-raw', () => {
  test('deletes the raw events of old days, keeps their figures, and late events for them are raw-purged', async () => {
    const program = cooler({ COOLER_RAW_RETENTION_DAYS: '30' })
    await land(program, [visitors('a', 1, daysAgo(50)), visitors('a', 2, daysAgo(40)), visitors('a', 3, daysAgo(20))])
    await rollUp(program)
    expect(await program.json('prune-raw', '--json')).toEqual([
      { days: 2, events: 2, rawSince: Number(dateOf(daysAgo(39))) },
    ])
    expect((await eventsOf(program, 'a')).map(({ count }) => count)).toEqual([3])
    await ingest(program, visitors('a', 7, daysAgo(40)), visitors('a', 8, daysAgo(29)))
    expect(await reasons(program)).toEqual(['raw-purged'])
    await program.run(['rollup', '--from', dateOf(daysAgo(60)), '--to', dateOf(daysAgo(0))])
    for (const [days, count] of [
      [50, 1],
      [40, 2],
      [29, 8],
      [20, 3],
    ])
      expect(await visitorCount(program, dateOf(daysAgo(days)))).toEqual([count])
  })

  test('deletes nothing that waits for a rollup, nor anything where raw events are kept for ever', async () => {
    const program = cooler({ COOLER_RAW_RETENTION_DAYS: '30' })
    await land(program, [visitors('a', 1, daysAgo(50))])
    expect(await program.json('prune-raw', '--json')).toEqual([{ days: 0, events: 0, rawSince: null }])
    await rollUp(program)
    const { stdout } = await program.run(['prune-raw'], { env: { COOLER_RAW_RETENTION_DAYS: '0' } })
    expect(stdout).toBe('0 raw events of 0 UTC days deleted; none has ever been deleted\n')
    expect(await eventsOf(program, 'a')).toHaveLength(1)
  })
})

test('compact takes closed days that have been rolled up, once, and changes no event and no figure', async () => {
  const program = cooler()
  const events = [visitors('a', 1, daysAgo(10)), visitors('b', 2, daysAgo(10)), visitors('a', 3, daysAgo(0))]
  await land(program, events)
  expect((await program.run(['compact'])).stdout).toBe('0 events compacted\n')
  await rollUp(program)
  const before = await eventsOf(program, 'a')
  expect(await program.json('compact', '--json')).toEqual([{ days: 2, events: 2, weeks: 2 }])
  expect(await program.json('compact', '--json')).toEqual([{ days: 0, events: 0, weeks: 0 }])
  expect(await eventsOf(program, 'a')).toEqual(before)
  await program.run(['rollup', '--from', dateOf(daysAgo(11)), '--to', dateOf(daysAgo(0))])
  expect(await visitorCount(program, dateOf(daysAgo(10)))).toEqual([1, 2])
})

describe('a store that was rolled up by other settings', () => {
  const power = (hour: number, on: boolean) => ({
    deviceId: 'a',
    at: Math.floor(daysAgo(10) / DAY_MS) * DAY_MS + hour * 3_600_000,
    type: 'power',
    on,
  })
  const other = { COOLER_DAYTIME: '10:00-12:00' }
  const hoursByDay = async (program: Cooler, env: NodeJS.ProcessEnv = {}): Promise<unknown> => {
    const { stdout, stderr } = await program.run(['report', dateOf(daysAgo(10)), '--json'], { env })
    if (stdout === '') return stderr
    const { data } = JSON.parse(stdout)
    return (data as { deviceStatusList: { powerDayDuration: number }[] }).deviceStatusList[0].powerDayDuration
  }

  test('is not rolled up by these, unless told to compute all its days again', async () => {
    const program = cooler()
    await land(program, [power(8, true), power(20, false)])
    await rollUp(program)
    expect(await hoursByDay(program)).toBe(10)
    const refused = await program.run(['rollup', '--from', dateOf(daysAgo(10)), '--to', dateOf(0)], { env: other })
    expect(refused.code).toBe(2)
    const asked = ['rollup', '--from', dateOf(daysAgo(11)), '--to', dateOf(daysAgo(0))]
    const failed = await program.run(asked, { env: other })
    expect(failed).toMatchObject({ code: 1, stdout: '' })
    expect(failed.stderr).toMatch(/^cooler: the rollups of this store are made by .*360,1080.* here are .*600,720.*\n$/)
    expect(await hoursByDay(program)).toBe(10)
    expect((await program.run(['rollup', '--adopt'], { env: other })).code).toBe(0)
    expect(await hoursByDay(program, other)).toBe(2)
    expect(await hoursByDay(program)).toMatch(/^cooler: the rollups of this store are made by/)
    expect((await program.run(asked)).code).toBe(1)
  })

  test('is computed again by a service that starts with these', async () => {
    const program = cooler()
    await land(program, [power(8, true), power(20, false)])
    await rollUp(program)
    const { stderr } = await program.service(['start'], other)
    expect(stderr()).toMatch(/the rules have changed: all days are computed again/)
    await eventually(() => hoursByDay(program, other)).toBe(2)
    const database = new Database(program.store, { readonly: true })
    const revisions = database.prepare('SELECT number, causes FROM revision').all()
    database.close()
    expect(revisions).toEqual([{ number: 1, causes: '["rules-version"]' }])
  })
})

test('a service that starts after some nights closes their days, compacts and prunes by itself', async () => {
  const program = cooler({ COOLER_RAW_RETENTION_DAYS: '30' })
  await land(program, [visitors('a', 1, daysAgo(50)), visitors('a', 2, daysAgo(3))])
  await rollUp(program)
  await program.service(['start'])
  const database = new Database(program.store, { readonly: true })
  const count = (sql: string) => database.prepare(sql).pluck().get()
  await eventually(() => count('SELECT count(*) FROM compacted')).toBe(1)
  await eventually(() => count("SELECT count(*) FROM setting WHERE name = 'purged before'")).toBe(1)
  expect(count('SELECT count(*) FROM segment')).toBe(0)
  database.close()
})
