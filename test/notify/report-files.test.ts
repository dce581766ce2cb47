import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeBackup } from '../../src/notify/backup-file.ts'
import { fileNameOf, mediaTypeOf } from '../../src/notify/file-names.ts'
import { openPipeline } from '../../src/service/pipeline.ts'
import { visitors } from '../helpers/events.ts'
import { testConfig } from '../helpers/temporary-service.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { testReportFiles } from './report-files.ts'
import { backupTo, fileOf, reportTo } from './sendings.ts'

testReportFiles(async () => ({}))

const channel = { type: 'folder', path: 'reports' } as const
const WEEK = { fromDay: 20_593, toDay: 20_599 }

test('files are named after their subscription, period and version', () => {
  const report = reportTo(channel, { format: 'xlsx' })
  expect(fileNameOf(report, WEEK)).toBe('route-12-20260520-20260526.xlsx')
  expect(fileNameOf(report, { fromDay: WEEK.toDay, toDay: WEEK.toDay }, 2)).toBe('route-12-20260526.v2.xlsx')
  expect(fileNameOf(backupTo(channel), WEEK)).toBe('nightly-20260526.sqlite')
  expect(mediaTypeOf(reportTo(channel, { format: 'json' }))).toBe('application/json')
})

test('a copy of a store is checked before it gets its name', async () => {
  const pipeline = await openPipeline(testConfig())
  onTestFinished(() => pipeline.close())
  await pipeline.ingest.run('land', { events: [visitors('a', 1)] })
  const path = join(temporaryFolder(), 'copy.sqlite')
  const { location } = pipeline.store
  expect(await writeBackup({ location, checkCopy: pipeline.checkCopy }, path)).toEqual({ bytes: statSync(path).size })
  const inside = await openPipeline(testConfig({ COOLER_STORE: path }))
  onTestFinished(() => inside.close())
  expect(await inside.reader.registry.count()).toBe(1)
  const other = join(temporaryFolder(), 'copy.sqlite')
  const checkCopy = async (): Promise<never> => Promise.reject(new Error('damaged'))
  await expect(writeBackup({ location, checkCopy }, other)).rejects.toThrow('damaged')
  expect([existsSync(other), existsSync(`${other}.unchecked`)]).toEqual([false, false])
})

test('a store in PostgreSQL is not copied, and it is said who does', async () => {
  const parts = { location: 'postgres://a:s3cret@b/c', checkCopy: async () => {} }
  const refusal = { code: 'bad-configuration', message: expect.stringContaining('point-in-time recovery') }
  await expect(writeBackup(parts, fileOf(''))).rejects.toMatchObject(refusal)
})
