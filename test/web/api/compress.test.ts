import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../../helpers/events.ts'
import { oncePerGroup } from '../../helpers/when-finished.ts'
import { reportsOfMany } from '../../report/export/reports-of-many.ts'
import { appFixture, DAILY } from '../app-fixture.ts'
import { dashboardFile } from '../dashboard-files.ts'

const unpack = { gzip: gunzipSync, br: brotliDecompressSync } as const
const MANY = Array.from({ length: 100 }, (_, index) => visitors(`device-${index}`, index))

async function filledApp() {
  const fixture = await appFixture()
  await fixture.land(MANY)
  await fixture.rollUp(DAY)
  const headersOf = (accept: string | undefined) => (accept === undefined ? {} : { 'accept-encoding': accept })
  const ask = (accept?: string, day = DAY) =>
    fixture.app.inject({ method: 'POST', url: DAILY, headers: headersOf(accept), payload: { day } })
  const read = (accept: string | undefined, url: string) => fixture.app.inject({ url, headers: headersOf(accept) })
  return { ask, read }
}

describe('an answer over 1 KiB', () => {
  const app = oncePerGroup(filledApp)

  test.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', undefined],
    ['gzip;q=0, *', undefined],
    ['identity, gzip;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['identity;q=0.8, gzip;q=0.2', undefined],
    ['deflate', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('with Accept-Encoding %j is sent as %s', async (accept, encoding) => {
    const { ask } = app()
    const plain = (await ask(undefined)).body
    const { headers, rawPayload } = await ask(accept)
    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding'])
    expect(headers['content-length']).toBe(String(rawPayload.length))
    const bytes = encoding === undefined ? rawPayload : unpack[encoding as keyof typeof unpack](rawPayload)
    expect(bytes.toString()).toBe(plain)
  })

  test('of any route is compressed, files that are so already are not, nor short answers and errors', async () => {
    const { ask, read } = app()
    for (const url of [
      '/metrics',
      '/',
      `/dashboard/${dashboardFile('.css')}`,
      '/docs',
      '/openapi.json',
      '/v1/devices',
    ]) {
      const { headers, rawPayload } = await read('gzip', url)
      expect([url, headers['content-encoding']]).toEqual([url, 'gzip'])
      if (url !== '/metrics') expect(gunzipSync(rawPayload).toString()).toBe((await read(undefined, url)).body)
    }
    const file = (format: string) => read('gzip', `/v1/reports/daily?day=${DAY}&format=${format}`)
    expect(
      gunzipSync((await file('csv')).rawPayload)
        .toString()
        .split('\r\n'),
    ).toHaveLength(102)
    for (const format of ['xlsx', 'parquet']) expect((await file(format)).headers['content-encoding']).toBeUndefined()
    for (const answer of [await read('gzip', '/healthz'), await ask('gzip', 1)]) {
      expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([undefined, undefined])
    }
  })
})

test('a kept report keeps its compressed form, which counts as what is kept', async () => {
  const { reports } = await reportsOfMany(2000, (nth) => `cooler ${nth}`, 1_000_000)
  const task = { fromDay: 20_240, toDay: 20_240, within: null, now: Date.now() }
  const daily = async (day = 20_240) => (await reports.daily({ ...task, fromDay: day, toDay: day })) as Uint8Array
  const report = await daily()
  const form = await reports.packed(report, 'gzip')
  expect(await reports.packed(await daily(), 'gzip')).toBe(form)
  expect(gunzipSync(form)).toEqual(Buffer.from(report))
  expect(form.length * 5).toBeLessThan(report.length)
  for (let day = 1; day <= 5; day++) await daily(20_240 + day)
  expect(await daily()).not.toBe(report)
})
