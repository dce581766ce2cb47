import { expect, test } from 'vitest'
import type { Threads } from '../../../src/base/threads.ts'
import type { ReportTasks } from '../../../src/report/report-thread.ts'
import { NOON } from '../../helpers/events.ts'
import { rollUpAll } from '../../helpers/run-history.ts'
import { SETTINGS } from '../../rollup/shard-fixture.ts'
import { reportsOfMany } from '../export/reports-of-many.ts'

const NOW = Date.parse(NOON)
const DAY = Math.floor(NOW / 86_400_000)
const task = { fromDay: DAY, toDay: DAY, within: null, now: NOW }
const text = (report: string | Uint8Array): string => Buffer.from(report as Uint8Array).toString()

test('a report that two threads make is the one that one thread makes', async () => {
  const { store, reports, partedReports } = await reportsOfMany(150, (nth) => `device ${(nth * 7919) % 150}`)
  await rollUpAll(store, SETTINGS, NOW)
  const parted = partedReports()
  const few = { ...task, ids: Array.from({ length: 70 }, (_, nth) => `device ${nth}`) }
  for (const name of ['daily', 'summary'] as const) {
    const whole = text(await reports[name](task))
    expect(JSON.parse(whole).data.deviceStatusList).toHaveLength(150)
    for (let times = 0; times < 2; times++) expect(text(await parted[name](task))).toBe(whole)
    expect(text(await parted[name](few))).toBe(text(await reports[name](few)))
  }
})

test('halves of different states of the store are not put together', async () => {
  const { store, reports, partedReports, thread } = await reportsOfMany(100, (nth) => `device ${nth}`)
  await rollUpAll(store, SETTINGS, NOW)
  let asked = 0
  const newer = {
    run: async (name: 'part', input: never) => {
      asked++
      return { ...(await thread.run(name, input)), version: 'of another state' }
    },
  } as unknown as Threads<ReportTasks>
  expect(text(await partedReports(newer).summary(task))).toBe(text(await reports.summary(task)))
  expect(asked).toBe(2)
})

test('a report fails with the error of the thread that failed', async () => {
  const { partedReports } = await reportsOfMany(100, (nth) => `device ${nth}`)
  const failing = { run: () => Promise.reject(new Error('out of memory')) } as unknown as Threads<ReportTasks>
  await expect(partedReports(failing).summary(task)).rejects.toThrow('out of memory')
})
