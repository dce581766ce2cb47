import { expect, test } from 'vitest'
import { KeptFleet } from '../../../src/report/fleet/fleet.ts'
import { FleetReports } from '../../../src/report/fleet/fleet-report.ts'
import { NOON, visitors } from '../../helpers/events.ts'
import { landAll, rollUpAll } from '../../helpers/run-history.ts'
import { temporaryStore } from '../../helpers/temporary-store.ts'
import { SETTINGS } from '../../rollup/shard-fixture.ts'
import { reportsOfMany } from '../export/reports-of-many.ts'

const NOW = Date.parse(NOON)

test('the fixes that are kept from one report to the next are those of the last rollup', async () => {
  const store = temporaryStore()
  const reports = new FleetReports(new KeptFleet('UTC'))
  const day = Math.floor(NOW / 86_400_000)
  const locations = async (): Promise<string[]> => {
    const { bytes } = await reports.summary(store, { fromDay: day, toDay: day, within: null, now: NOW })
    const { deviceStatusList } = JSON.parse(Buffer.from(bytes).toString()).data
    return deviceStatusList.map(({ location }: { location: string }) => location)
  }
  for (const nth of [1, 2, 3]) {
    const at = new Date(NOW - (4 - nth) * 60_000).toISOString()
    await landAll(store, [[visitors('a', nth), { deviceId: 'a', at, type: 'gps', lat: nth, lon: 1 }]], NOW)
    await rollUpAll(store, SETTINGS, NOW)
    expect([await locations(), await locations()]).toEqual([[`${nth},1`], [`${nth},1`]])
  }
})

test('preparing for large reports changes none of them, and never fails', async () => {
  const { reports } = await reportsOfMany(70, (nth) => `device ${nth}`)
  const task = { fromDay: Math.floor(NOW / 86_400_000), toDay: Math.floor(NOW / 86_400_000), within: null, now: NOW }
  const before = Buffer.from((await reports.summary(task)) as Uint8Array)
  await reports.warm(NOW)
  expect(Buffer.from((await reports.summary(task)) as Uint8Array).equals(before)).toBe(true)
  await reports.warm(Number.NaN)
})
