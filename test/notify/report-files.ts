import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { isSettled, type ReportOf, writeReport } from '../../src/notify/report-file.ts'
import type { Selection } from '../../src/notify/subscription.ts'
import { openPipeline, storeOptions } from '../../src/service/pipeline.ts'
import { openStore } from '../../src/store/open-store.ts'
import { DAY, visitors } from '../helpers/events.ts'
import { type Settings, testConfig } from '../helpers/temporary-service.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { csvRows, parquetRows, type Row, readWorkbook } from '../report/export/read-back.ts'

const day = parseDay(DAY) as number
const ONE_DAY = { fromDay: day, toDay: day }
const FORMATS = ['csv', 'xlsx', 'parquet', 'json'] as const

const READERS: Record<(typeof FORMATS)[number], (bytes: Buffer) => Promise<Row[]> | Row[]> = {
  csv: csvRows,
  xlsx: async (bytes) => (await readWorkbook(bytes)).rows,
  parquet: parquetRows,
  json: (bytes) => JSON.parse(bytes.toString()).data.deviceStatusList,
}

/** Coolers in three zones, of which one was never heard. Days close at 00:20. */
const COOLERS = [
  { id: 'TOKYO-1', zone: 'Asia/Tokyo', labels: { route: '12' }, closesAt: '2025-06-01T15:20:00Z' },
  { id: 'UTC-silent', zone: 'UTC', labels: { route: '12' }, closesAt: '2025-06-02T00:20:00Z' },
  { id: 'WEST-1', zone: 'America/Los_Angeles', labels: {}, closesAt: '2025-06-02T07:20:00Z' },
]
const HEARD = ['TOKYO-1', 'WEST-1']

async function fleet(settings: Settings) {
  const config = testConfig(settings)
  const pipeline = await openPipeline(config)
  onTestFinished(() => pipeline.close())
  const store = await openStore(storeOptions(config))
  onTestFinished(() => store.close())
  for (const { id, zone, labels } of COOLERS) {
    const placement = { at: 0, seq: -1, lat: 0, lon: 0, zone, address: null }
    await store.registry.put(id, { placements: [placement], labels }, Date.parse('2025-01-01'))
  }
  const land = (count: number) =>
    pipeline.ingest.run('land', { events: HEARD.map((id) => visitors(id, count, '2025-06-01T12:00:00Z')) })
  const folder = temporaryFolder()
  return {
    land,
    rollUp: (at: string) => pipeline.runner.run({ now: Date.parse(at) }),
    settled: (devices: Selection) => isSettled(pipeline, { devices }, ONE_DAY),
    async write(report: Partial<ReportOf> = {}, period = ONE_DAY, now = pipeline.now) {
      const path = join(folder, 'report')
      const asked = { format: 'csv', every: 'day', ...report } as const
      const written = await writeReport({ reports: pipeline.reports, now }, asked, period, path)
      expect(readdirSync(folder)).toEqual(['report'])
      expect(statSync(path).size).toBe(written.bytes)
      const bytes = readFileSync(path)
      return { ...written, file: bytes, rows: await READERS[asked.format](bytes) }
    },
  }
}

/** Tests the files of reports on an engine, whose store these settings name. */
export function testReportFiles(settingsOf: () => Promise<Settings>): void {
  test('a file has the same rows and digest in every format; only a changed figure changes the digest', async () => {
    const { land, rollUp, write } = await fleet(await settingsOf())
    await land(7)
    await rollUp('2025-06-03T00:00:00Z')
    const digests = new Set<string>()
    for (const format of FORMATS) {
      for (const now of [Date.parse('2025-06-03'), Date.parse('2026-01-01')]) {
        const { rows, digest, isSettled } = await write({ format }, ONE_DAY, () => now)
        expect(rows.map(({ assertId, visitorCount }) => [assertId, visitorCount])).toEqual([
          ['TOKYO-1', 7],
          ['UTC-silent', 0],
          ['WEST-1', 7],
        ])
        expect(isSettled).toBe(true)
        digests.add(digest)
      }
    }
    expect(digests.size).toBe(1)
    await land(7) // Repeats, which change no figure.
    await rollUp('2025-06-03T01:00:00Z')
    expect(digests).toContain((await write()).digest)
    await land(8)
    await rollUp('2025-06-03T02:00:00Z')
    for (const format of FORMATS) digests.add((await write({ format })).digest)
    expect(digests.size).toBe(2)
  })

  test('a week is a summary, whose digest does not depend on where a device stands now', async () => {
    const { land, rollUp, write } = await fleet(await settingsOf())
    await land(7)
    await rollUp('2025-06-10T00:00:00Z')
    const week = { fromDay: day - 6, toDay: day }
    const { rows, digest } = await write({ every: 'week', devices: { ids: ['WEST-1'] } }, week)
    expect(rows).toMatchObject([{ startDay: 20250526, endDay: DAY, assertId: 'WEST-1', visitorCount: 7 }])
    expect((await write({ every: 'week', devices: { prefix: 'WEST' }, format: 'json' }, week)).digest).toBe(digest)
  })

  test('a selection narrows by each of its parts, and the file says so', async () => {
    const { land, rollUp, write } = await fleet(await settingsOf())
    await land(7)
    await rollUp('2025-06-03T00:00:00Z')
    const idsOf = async (devices: Selection) => (await write({ devices })).rows.map(({ assertId }) => assertId)
    expect(await idsOf({})).toEqual(['TOKYO-1', 'UTC-silent', 'WEST-1'])
    expect(await idsOf({ prefix: 'UTC-' })).toEqual(['UTC-silent'])
    expect(await idsOf({ timezone: 'asia/tokyo' })).toEqual(['TOKYO-1'])
    expect(await idsOf({ labels: { route: '12' } })).toEqual(['TOKYO-1', 'UTC-silent'])
    expect(await idsOf({ labels: { route: '12' }, ids: ['WEST-1', 'TOKYO-1', 'unknown'] })).toEqual(['TOKYO-1'])
    expect(await idsOf({ prefix: 'none' })).toEqual([])
    const { file } = await write({ format: 'xlsx', devices: { labels: { route: '12' }, timezone: 'UTC' } })
    const { parameters } = await readWorkbook(file)
    const asked = parameters.filter(([name]) => ['assertIds', 'label', 'timezone'].includes(String(name)))
    expect(asked.map(([name, value]) => [name, value])).toEqual([
      ['timezone', 'UTC'],
      ['label', 'route:12'],
    ])
  })

  test('days are settled when they have closed by the clock of each device, and were rolled up since', async () => {
    const { land, rollUp, settled, write } = await fleet(await settingsOf())
    await land(7)
    const zones = COOLERS.map(({ zone }) => zone)
    const all = async () => Promise.all([{}, ...zones.map((timezone) => ({ timezone }))].map(settled))
    expect(await all()).toEqual([false, false, false, false])
    for (const [nth, { closesAt }] of COOLERS.entries()) {
      const before = zones.map((_, index) => index < nth)
      await rollUp(new Date(Date.parse(closesAt) - 1).toISOString())
      expect(await all()).toEqual([false, ...before])
      expect((await write()).isSettled).toBe(false)
      await rollUp(closesAt)
      expect(await all()).toEqual([nth === 2, ...zones.map((_, index) => index <= nth)])
    }
    await land(9) // Late events revise a settled day, and do not make it open again.
    expect((await write()).isSettled).toBe(true)
  })
}
