import { describe, expect, test } from 'vitest'
import { EXPORT_FORMATS, type ExportFormat } from '../../src/report/export/formats.ts'
import { DAY, manyVisitors, visitors } from '../helpers/events.ts'
import { oncePerGroup } from '../helpers/when-finished.ts'
import { csvRows, parquetRows, type Row, readWorkbook } from '../report/export/read-back.ts'
import { appFixture, DAILY, expectError, SUMMARY } from './app-fixture.ts'
import { cooler } from './every-figure.ts'
import { bearer, keyedApp } from './keyed-app.ts'

const TO = DAY + 1
const RANGE = { startDay: DAY, endDay: TO }
const FORMATS = Object.keys(EXPORT_FORMATS) as ExportFormat[]

const READERS: Record<ExportFormat, (bytes: Uint8Array) => Promise<Row[]> | Row[]> = {
  csv: csvRows,
  xlsx: async (bytes) => (await readWorkbook(bytes)).rows,
  parquet: parquetRows,
}

/** Either report, as the operation of the interface and as a path under /v1. */
const REPORTS = [
  {
    name: 'daily',
    path: DAILY,
    body: { day: DAY },
    get: `/v1/reports/daily?day=${DAY}`,
    days: { day: DAY },
    file: `cooler-daily-${DAY}`,
  },
  {
    name: 'summary',
    path: SUMMARY,
    body: RANGE,
    get: `/v1/reports/summary?startDay=${DAY}&endDay=${TO}`,
    days: RANGE,
    file: `cooler-summary-${DAY}-${TO}`,
  },
]

const ODD = ['=HYPERLINK("http://example.com")', 'a,"b"\r\nc', '\ud83e', '\u{1F9CA}', '-1', '  @x', '\u0001']

/** The rows that a file must have by the JSON of the same report. */
function rowsOf(json: string, days: Row): Row[] {
  const { deviceStatusList } = JSON.parse(json).data as { deviceStatusList: Row[] }
  return deviceStatusList.map(({ assertId, ...entry }) => {
    const [latitude, longitude] = String(entry.location).split(',').map(Number)
    const degrees = entry.location ? { latitude, longitude } : { latitude: null, longitude: null }
    // Half of a surrogate pair has no UTF-8.
    return {
      ...days,
      assertId: Buffer.from(String(assertId)).toString(),
      ...entry,
      ...('location' in entry && degrees),
    }
  })
}

/** An application with a device of every figure, odd ids and so many more devices. */
async function filled(more: number) {
  const app = await appFixture()
  await app.land([...cooler('a'), ...ODD.map((id) => visitors(id, 3)), ...manyVisitors(more)])
  await app.rollUp(DAY, TO)
  return app
}

const few = oncePerGroup(() => filled(0))
const many = oncePerGroup(() => filled(100))
const empty = oncePerGroup(() => appFixture())

describe.each(REPORTS)('the $name report', ({ path, body, get, days, file }) => {
  test.each([
    ['of few devices', few, 0],
    ['of many', many, 100],
  ])('%s is the same in every format, whichever way it is asked for', async (_, shared, more) => {
    const app = shared()
    const ids = ['a', 'unknown', ...ODD, ...manyVisitors(more).map(({ deviceId }) => deviceId)]
    const json = (await app.post(path, { ...body, assertIds: ids })).body
    const expected = rowsOf(json, days)
    expect(expected).toHaveLength(1 + ODD.length + more)
    for (const format of FORMATS) {
      const { mediaType, contentType } = EXPORT_FORMATS[format]
      const answers = [
        await app.post(`${path}?format=${format}`, { ...body, assertIds: ids }),
        await app.post(path, body, { accept: mediaType }),
        await app.get(`${get}&format=${format}`),
      ]
      for (const answer of answers) {
        expect(answer.statusCode, answer.body).toBe(200)
        expect(answer.headers['content-type']).toBe(contentType)
        expect(answer.headers['content-disposition']).toBe(`attachment; filename="${file}.${format}"`)
        expect(await READERS[format](answer.rawPayload)).toEqual(expected)
      }
    }
  })

  test('of no device is a file without rows', async () => {
    const app = empty()
    for (const format of FORMATS) {
      for (const ids of ['', '&assertIds=', '&assertIds=nobody']) {
        const { rawPayload } = await app.get(`${get}${ids}&format=${format}`)
        expect(await READERS[format](rawPayload)).toEqual([])
      }
    }
  })

  test('has the devices alone that a limited key sees', async () => {
    const { app, keys, fill } = await keyedApp({ some: { scopes: ['read'], prefix: 'a' } })
    await fill(['a', 'a1', 'b'].map((id) => visitors(id, 1)))
    for (const format of FORMATS) {
      for (const ids of ['', '&assertIds=b&assertIds=a1&assertIds=a']) {
        const answer = await app.inject({ url: `${get}${ids}&format=${format}`, headers: bearer(keys.some) })
        const rows = await READERS[format](answer.rawPayload)
        expect(rows.map(({ assertId }) => assertId)).toEqual(['a', 'a1'])
      }
    }
  })

  test('is JSON, byte for byte, where nothing else is asked for', async () => {
    const app = few()
    const { body: json, headers } = await app.post(path, body)
    expect(headers).not.toHaveProperty('content-disposition')
    const accepts = [
      '*/*',
      'application/json',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'image/png',
      'text/*',
      'text/csv;q=0',
      'text/csv;q=2',
      'text/csv;q=0.5, application/json;q=0.6',
      'text/csv;q=0.5, */*',
      'text/csvx',
      ',;,',
      '',
    ]
    for (const accept of accepts) {
      const answer = await app.post(path, body, { accept })
      expect(answer.body, accept).toBe(json)
      expect(answer.headers['content-type'], accept).toBe('application/json; charset=utf-8')
    }
    expect((await app.post(`${path}?format=json`, body, { accept: 'text/csv' })).body).toBe(json)
    for (const answer of [await app.get(get), await app.get(`${get}&format=json`)]) {
      expect(answer.body).toBe(json)
      expect(answer.headers).not.toHaveProperty('content-disposition')
    }
  })

  test('tells what is wrong in the envelope', async () => {
    const app = empty()
    for (const format of ['pdf', '', 'CSV', '__proto__', 'csv&format=csv']) {
      const message = /^format must be one of json, csv, xlsx, parquet, not /
      expectError(await app.post(`${path}?format=${format}`, body), 'bad-request', message, format)
      expectError(await app.get(`${get}&format=${format}`), 'bad-request', message, format)
    }
    for (const bom of ['2', '', 'true', '1&bom=1']) {
      expectError(await app.get(`${get}&format=csv&bom=${bom}`), 'bad-request', /^bom must be one of 0, 1, not /, bom)
    }
    expectError(await app.post(`${path}?format=csv`, {}), 'bad-request', /^(day|startDay) is missing/)
    expectError(await app.post(`${path}?format=csv`, '{'), 'bad-request', /not JSON/)
  })
})

test('a report is what the Accept header likes best', async () => {
  const app = empty()
  const accepts = {
    'text/csv': 'text/csv; charset=utf-8',
    'TEXT/CSV;Q=0.5': 'text/csv; charset=utf-8',
    '*/*, text/csv': 'text/csv; charset=utf-8',
    'text/csv, application/json': 'text/csv; charset=utf-8',
    'application/json;q=0.1, text/csv;q=0.2, application/vnd.apache.parquet ; q=0.3': 'application/vnd.apache.parquet',
  }
  for (const [accept, type] of Object.entries(accepts)) {
    expect((await app.post(DAILY, { day: DAY }, { accept })).headers['content-type'], accept).toBe(type)
  }
})

test('a byte order mark stands before CSV where it is asked for', async () => {
  const app = empty()
  const without = (await app.get(`/v1/reports/daily?day=${DAY}&format=csv&bom=0`)).rawPayload
  const withMark = (await app.post(`${DAILY}?format=csv&bom=1`, { day: DAY })).rawPayload
  expect(withMark).toEqual(Buffer.concat([Buffer.from('\ufeff'), without]))
})

test('days of a path are those of the calendar, at most 31 of them', async () => {
  const app = empty()
  for (const day of ['', '7', '20250229', '2025-06-01', '20250601.0']) {
    expectError(
      await app.get(`/v1/reports/daily?day=${day}`),
      'bad-request',
      /^day (is missing|must be).*YYYYMMDD/,
      day,
    )
    expectError(
      await app.get(`/v1/reports/summary?startDay=${DAY}&endDay=${day}`),
      'bad-request',
      /^endDay must be/,
      day,
    )
  }
  expectError(
    await app.get(`/v1/reports/daily?day=${DAY}&day=${DAY}`),
    'bad-request',
    /^day must be .*, not an array of 2$/,
  )
  expectError(await app.get('/v1/reports/daily'), 'bad-request', /^day is missing/)
  expectError(await app.get('/v1/reports/summary?startDay=20250501&endDay=20250601'), 'bad-request', /32 days/)
  expectError(await app.get('/v1/reports/summary?startDay=20250602&endDay=20250601'), 'bad-request', /before/)
  expectError(await app.post('/v1/reports/daily', {}), 'method-not-allowed')
})
