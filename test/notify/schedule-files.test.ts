import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { millisecondsInDay, millisecondsInHour, utcDayOf } from '../../src/base/time.ts'
import { Damages } from '../../src/notify/damages.ts'
import type { InUse } from '../../src/notify/in-use.ts'
import { type Scheduling, scheduleFiles } from '../../src/notify/schedule-files.ts'
import type { BackupSubscription, ReportSubscription } from '../../src/notify/subscription.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { temporaryFolder, temporaryStore } from '../helpers/temporary-store.ts'
import { wholeMessages } from '../store/notice-fixture.ts'
import { backupTo, reportTo } from './sendings.ts'

const MONDAY = Date.parse('2026-03-02T00:00:00Z')
const TO_FOLDER = { type: 'folder', path: 'reports' } as const

const inUse = (subscription: ReportSubscription | BackupSubscription): InUse<typeof subscription> => {
  return { id: subscription.id, createdAt: MONDAY, subscription }
}

/** Schedules of a fresh store, whose reports have this content and are settled unless told otherwise. */
function schedules(...subscriptions: readonly (ReportSubscription | BackupSubscription)[]) {
  const { notices } = temporaryStore()
  const state = { content: 'a', isSettled: true }
  const run = async (now: number): Promise<string[]> => {
    const scheduling: Scheduling = {
      damages: new Damages(),
      ...{ reads: notices, writes: notices, now },
      isSettled: async () => state.isSettled,
      async hashOf() {
        if (!state.isSettled) throw new Error('a day of the report is not settled any more')
        return state.content
      },
    }
    await scheduleFiles(subscriptions.map(inUse), scheduling)
    const made = await wholeMessages(notices)
    return made.map(({ body }) => JSON.parse(body).name).reverse()
  }
  const sendAll = async (now: number): Promise<void> => {
    for (const { id } of await notices.claim(now, now + 1000, 100))
      await notices.attempted({ id, state: 'sent', nextAt: now, now, error: null, hash: state.content })
  }
  const change = async (revision: number): Promise<void> => {
    const none = { days: [utcDayOf(at(-1, 0))], told: [], notices: [], gone: [] }
    expect(await notices.note({ shard: 0, version: 0, revision, at: 0, ...none })).toBe(true)
  }
  return { notices, state, run, sendAll, change }
}

const at = (day: number, hour: number): number => MONDAY + day * millisecondsInDay + hour * millisecondsInHour

test('a report of each day is due once, at its time, and those that were missed are made up once', async () => {
  const { run } = schedules(reportTo(TO_FOLDER))
  expect(await run(at(0, 6))).toEqual([])
  expect(await run(at(0, 7))).toEqual(['route-12-20260301.csv'])
  expect(await run(at(0, 8))).toHaveLength(1)
  const made = await run(at(4, 7))
  expect(made).toEqual([1, 2, 3, 4, 5].map((day) => `route-12-2026030${day}.csv`))
  expect(await run(at(4, 7))).toEqual(made)
})

test('a report waits until its days are settled, unless it is asked for before', async () => {
  const { run, state } = schedules(reportTo(TO_FOLDER), reportTo(TO_FOLDER, { id: 'early', provisional: true }))
  state.isSettled = false
  expect(await run(at(0, 7))).toEqual(['early-20260301.csv'])
  await run(at(1, 7))
  state.isSettled = true
  const early = [1, 2].map((day) => `early-2026030${day}.csv`)
  expect((await run(at(1, 9))).sort()).toEqual([...early, 'route-12-20260301.csv', 'route-12-20260302.csv'])
})

test('a report whose figures have changed is made anew with its version, at most once a day', async () => {
  const { run, state, sendAll, change, notices } = schedules(reportTo(TO_FOLDER))
  await run(at(0, 7))
  await sendAll(at(0, 7))
  await change(0)
  expect(await run(at(0, 9))).toEqual(['route-12-20260301.csv'])
  state.content = 'b'
  const renewed = await run(at(1, 5))
  expect(renewed).toEqual(['route-12-20260301.csv', 'route-12-20260301.v2.csv'])
  await sendAll(at(1, 5))
  await change(1) // What has changed comes to the same figures.
  expect(await run(at(3, 5))).not.toContain('route-12-20260301.v3.csv')
  expect(await notices.staleMessages()).toEqual([])
})

test('a report of which a day was opened again waits until that day is settled', async () => {
  const { run, state, sendAll, change } = schedules(reportTo(TO_FOLDER))
  await run(at(0, 7))
  await sendAll(at(0, 7))
  await change(0)
  Object.assign(state, { content: 'b', isSettled: false })
  expect(await run(at(1, 5))).toEqual(['route-12-20260301.csv'])
  state.isSettled = true
  expect(await run(at(1, 6))).toEqual(['route-12-20260301.csv', 'route-12-20260301.v2.csv'])
})

test('of the copies of a store only the last that was missed is made', async () => {
  const { run } = schedules(backupTo(TO_FOLDER))
  expect(await run(at(9, 7))).toEqual(['nightly-20260310.sqlite'])
  expect(await run(at(9, 8))).toEqual(['nightly-20260310.sqlite'])
})

test('a service puts the report and the copy that are due into a folder', async () => {
  const folder = temporaryFolder()
  const { pipeline } = await temporaryService(
    { api: false, work: true },
    { COOLER_DELIVERY_FOLDER: folder, COOLER_REFRESH_MINUTES: '0.01' },
  )
  const long = Date.now() - 2 * millisecondsInDay
  for (const one of [reportTo(TO_FOLDER), backupTo(TO_FOLDER, 2)])
    await pipeline.notify.run('call', { name: 'putSubscription', values: [one.id, JSON.stringify(one), long] })
  await eventually(() => {
    try {
      return readdirSync(join(folder, 'reports')).filter((name) => !name.startsWith('.')).length
    } catch {
      return 0 // Not made yet.
    }
  }).toBeGreaterThanOrEqual(2)
  const messages = await pipeline.reader.notices.messages({ limit: 10 })
  expect(messages.every(({ error }) => error === null)).toBe(true)
})
