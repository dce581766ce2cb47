import { expect, onTestFinished, test } from 'vitest'
import type { Threads } from '../../src/base/threads.ts'
import { parseDay } from '../../src/base/time.ts'
import type { ReportTasks } from '../../src/report/report-thread.ts'
import { Reports } from '../../src/report/reports.ts'
import { openSqliteStoreReader } from '../../src/store/sqlite/store.ts'
import { DAY, NOON, visitors } from '../helpers/events.ts'
import { landAll, rollUpAll } from '../helpers/run-history.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { SETTINGS } from '../rollup/shard-fixture.ts'

const NOW = Date.parse('2025-06-10T00:00:00Z')
const fix = (at: string, lat: number) => ({ deviceId: 'a', at, type: 'gps', lat, lon: 1 })

test('a small report reads one state of the store, whatever is committed between its reads', async () => {
  const store = temporaryStore()
  await landAll(store, [[visitors('a', 1), fix(NOON, 1)]], NOW)
  await rollUpAll(store, SETTINGS, NOW)
  const reader = openSqliteStoreReader({ location: store.file, rejectsKept: 1 })
  onTestFinished(() => reader.close())
  const states = reader.rollups.states.bind(reader.rollups)
  let commits = 0
  reader.rollups.states = async (devices) => {
    commits++
    await landAll(store, [[visitors('a', 10 ** commits), fix(`2025-06-01T1${2 + commits}:00:00Z`, 1 + commits)]], NOW)
    await rollUpAll(store, SETTINGS, NOW)
    return states(devices)
  }
  const noThreads = { run: () => Promise.reject(new Error('a small report needs no thread')) } as unknown
  const reports = new Reports(reader, noThreads as Threads<ReportTasks>, { defaultZone: 'UTC', cacheBytes: 0 })
  const day = parseDay(DAY) as number
  const ask = async (ids: string[]): Promise<unknown> => {
    const answer = await reports.summary({ fromDay: day, toDay: day, ids, within: null, now: NOW })
    const { visitorCount, location } = JSON.parse(String(answer)).data.deviceStatusList[0]
    return [visitorCount, location]
  }
  // Two at once, each of its own state: of one connection they take turns.
  expect(await Promise.all([ask(['a']), ask(['a', 'b'])])).toEqual([
    [1, '1,1'],
    [11, '2,1'],
  ])
  expect(commits).toBe(2)
})
