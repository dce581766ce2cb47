import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDay } from '../../../src/base/time.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../../../src/report/export/formats.ts'
import type { DailyEntry, SummaryEntry } from '../../../src/report/report.ts'
import { dailyJson, summaryJson } from '../../../src/report/report-json.ts'
import { makeFile } from './make-file.ts'
import { csvRows, parquetRows, type Row, readWorkbook } from './read-back.ts'

const READERS: Record<ExportFormat, (bytes: Uint8Array) => Promise<Row[]> | Row[]> = {
  csv: csvRows,
  xlsx: async (bytes) => (await readWorkbook(bytes)).rows,
  parquet: parquetRows,
}

const ODD_TEXTS = [
  '=HYPERLINK("http://example.com","x")',
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '  =1',
  '"=1"',
  "'=1",
  "'",
  "'plain",
  '\uff1d1',
  '\ufeff=1',
  'a,b;c',
  'say "cheese"',
  'two\nlines',
  'two\r\nlines',
  '\r',
  ' blanks ',
  '\u0000\u0007\u001b\u007f',
  '_x0041_',
  '_x000D_\r',
  '<b>&amp;</b>]]>',
  '\ufffe\uffff',
  '\u{1F9CA} 冰',
  'lone \ud83e half',
  '\uddca',
  'NULL',
  'true',
  '007',
  '1e3',
  '},{"assertId":"x',
  '"deviceStatusList":[',
  '__proto__',
]

const text = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.string({ minLength: 1, maxLength: 12 }),
)
const count = fc.oneof(fc.constant(0), fc.nat({ max: 500 }), fc.constantFrom(2 ** 31, 2 ** 40 + 7, 2 ** 53 - 1))
const decimal = (places: number, most: number) =>
  fc.integer({ min: -most * 10 ** places, max: most * 10 ** places }).map((scaled) => (scaled || 0) / 10 ** places)
const celsius = fc.option(fc.oneof(fc.constantFrom(0, -0.01, 4.5), decimal(2, 80)))
const hours = decimal(4, 744).map(Math.abs)
const degrees = fc.oneof(fc.constantFrom('0', '-33.86', '151.2', '0.0000001', '-0.0000001'), decimal(5, 90).map(String))

const daily: fc.Arbitrary<DailyEntry> = fc.record({
  assertId: text,
  visitorCount: count,
  openCloseNum: count,
  currTemp: celsius,
  setTemp: celsius,
  maxTemp: celsius,
  minTemp: celsius,
  powerDuration: hours,
  powerDayDuration: hours,
  distance: fc.option(decimal(2, 20_015_115).map(Math.abs)),
  distanceMore: fc.constantFrom(0 as const, 1 as const),
})
const current = fc.record({
  location: fc.option(fc.tuple(degrees, degrees).map((both) => both.join(','))),
  address: fc.option(fc.oneof(text, fc.constant(''))),
  throwinDate: fc.option(fc.constantFrom('2026-06-01 00:00:00', '2025-12-31 23:59:59')),
})
const summary: fc.Arbitrary<SummaryEntry> = fc.tuple(daily, current).map(([one, other]) => ({ ...one, ...other }))

/** Days from 1900-03-01 on, which is the first that spreadsheets know. */
const epochDay = fc.oneof(fc.integer({ min: 18_000, max: 22_000 }), fc.integer({ min: -25_508, max: 2_000_000 }))

/** Halves of surrogate pairs have no UTF-8: each is U+FFFD. */
const wellFormed = (value: unknown): unknown => (typeof value === 'string' ? Buffer.from(value).toString() : value)

/** The rows that a file must have, from the parsed JSON. */
function rowsOf(json: string, days: Row): Row[] {
  const { deviceStatusList } = JSON.parse(json).data as { deviceStatusList: Record<string, never>[] }
  return deviceStatusList.map((entry) => {
    const cells = Object.entries(entry).flatMap(([name, value]): [string, unknown][] => {
      if (name !== 'location') return [[name, wellFormed(value)]]
      const [latitude, longitude] = value === null ? [null, null] : String(value).split(',').map(Number)
      return [
        [name, value],
        ['latitude', latitude],
        ['longitude', longitude],
      ]
    })
    return { ...days, ...(Object.fromEntries(cells) as Row) }
  })
}

const formats = Object.keys(EXPORT_FORMATS) as ExportFormat[]
const runs = { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) }

test.each(formats)('a day as %s has the very rows of the JSON', async (format) => {
  await fc.assert(
    fc.asyncProperty(epochDay, fc.array(daily, { maxLength: 12 }), async (day, entries) => {
      const json = dailyJson(day, entries)
      const rows = await READERS[format](await makeFile({ name: 'daily', fromDay: day, toDay: day, json, format }))
      expect(rows).toEqual(rowsOf(json, { day: formatDay(day) }))
    }),
    runs,
  )
})

test.each(formats)('a range as %s has the very rows of the JSON', async (format) => {
  await fc.assert(
    fc.asyncProperty(
      epochDay,
      fc.nat({ max: 30 }),
      fc.array(summary, { maxLength: 12 }),
      async (day, more, entries) => {
        const json = summaryJson(entries)
        const rows = await READERS[format](
          await makeFile({ name: 'summary', fromDay: day, toDay: day + more, json, format }),
        )
        expect(rows).toEqual(rowsOf(json, { startDay: formatDay(day), endDay: formatDay(day + more) }))
      },
    ),
    runs,
  )
})

test.each(formats)('every odd text comes back from %s', async (format) => {
  const [entry] = fc.sample(summary, { numRuns: 1, seed: 1 })
  const json = summaryJson(ODD_TEXTS.map((odd) => ({ ...entry, assertId: odd, address: odd })))
  const rows = await READERS[format](await makeFile({ name: 'summary', fromDay: 20_000, toDay: 20_001, json, format }))
  expect(rows).toEqual(rowsOf(json, { startDay: formatDay(20_000), endDay: formatDay(20_001) }))
})
