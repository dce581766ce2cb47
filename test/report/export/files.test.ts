import { strFromU8, unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { parseDay } from '../../../src/base/time.ts'
import { COLUMNS } from '../../../src/report/export/columns.ts'
import { EntrySlices } from '../../../src/report/export/entry-slices.ts'
import { ExportSessions } from '../../../src/report/export/export-sessions.ts'
import { fileName } from '../../../src/report/export/formats.ts'
import { ParquetReportWriter } from '../../../src/report/export/parquet-writer.ts'
import type { ReportHead, ReportWriter } from '../../../src/report/export/report-writer.ts'
import { XlsxWriter } from '../../../src/report/export/xlsx-writer.ts'
import type { SummaryEntry } from '../../../src/report/report.ts'
import { summaryJson } from '../../../src/report/report-json.ts'
import { makeFile } from './make-file.ts'
import { csvRows, parquetMetadata, parquetRows, readWorkbook } from './read-back.ts'

const epochDay = (day: number): number => parseDay(day) as number
const [FROM, TO] = [epochDay(20260601), epochDay(20260607)]

const ENTRY: SummaryEntry = {
  assertId: 'CLR-1',
  visitorCount: 7,
  openCloseNum: 3,
  currTemp: -4.5,
  setTemp: null,
  maxTemp: 5,
  minTemp: -10.01,
  powerDuration: 18.1234,
  powerDayDuration: 12,
  distance: 203.07,
  distanceMore: 1,
  location: '-33.86,0.0000001',
  address: 'Main Street 1',
  throwinDate: '2026-05-01 02:00:00',
}
const named = (...ids: string[]): SummaryEntry[] => ids.map((assertId) => ({ ...ENTRY, assertId }))

const summaryFile = (format: 'csv' | 'xlsx' | 'parquet', entries: SummaryEntry[], more = {}): Promise<Buffer> =>
  makeFile({ name: 'summary', fromDay: FROM, toDay: TO, json: summaryJson(entries), format, ...more })

function written(writer: ReportWriter, entries: readonly SummaryEntry[]): Uint8Array {
  for (const entry of entries) writer.add([entry])
  writer.end()
  return writer.take()
}

const headOf = (deviceCount: number, days = {}): ReportHead => {
  return { columns: COLUMNS.summary, fromDay: FROM, toDay: TO, deviceCount, parameters: [], ...days }
}

describe('CSV', () => {
  test('has a line of names and a line for each device, numbers as in the JSON, and nothing where there is null', async () => {
    const bare = { ...ENTRY, assertId: 'a,"b"', currTemp: null, distance: null, location: null, throwinDate: null }
    const lines = [
      'startDay,endDay,assertId,visitorCount,openCloseNum,currTemp,setTemp,maxTemp,minTemp,powerDuration,' +
        'powerDayDuration,distance,distanceMore,location,latitude,longitude,address,throwinDate',
      `20260601,20260607,CLR-1,7,3,-4.5,,5,-10.01,18.1234,12,203.07,1,"'-33.86,0.0000001",-33.86,0.0000001,` +
        'Main Street 1,2026-05-01 02:00:00',
      '20260601,20260607,"a,""b""",7,3,,,5,-10.01,18.1234,12,,1,,,,"",',
    ]
    const file = await summaryFile('csv', [ENTRY, { ...bare, address: '' }])
    expect(file.toString()).toBe(lines.map((line) => `${line}\r\n`).join(''))
  })

  test.each([
    ['=1+1'],
    ['+1'],
    ['-1'],
    ['@SUM(A1)'],
    ['\t1'],
    ['\r1'],
    ['\n1'],
    ['  =1'],
    ['\u00a0=1'],
    ['"=1"'],
    ["'=1"],
    ['" @x'],
    ['\ufeff=1'],
    ['\uff1d1'],
  ])('a text such as %j begins with an apostrophe', async (text) => {
    const file = await summaryFile('csv', [{ ...ENTRY, assertId: text, address: text }])
    expect(file.toString().split(`'${text.replaceAll('"', '""')}`)).toHaveLength(3)
    expect(csvRows(file)).toMatchObject([{ assertId: text, address: text }])
  })

  test.each([['a=1'], ["'quoted'"], ['1-2'], ['(=1)'], ['Straße 5 - 7']])('one such as %j does not', async (text) => {
    expect((await summaryFile('csv', named(text))).toString()).toContain(`,${text},7,`)
  })

  test('begins with a byte order mark where one is asked for, and else with the names', async () => {
    const [without, withMark] = [await summaryFile('csv', []), await summaryFile('csv', [], { withMark: true })]
    expect(withMark).toEqual(Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), without]))
    expect(without.toString('latin1', 0, 9)).toBe('startDay,')
  })
})

describe('XLSX', () => {
  const sheetOf = (bytes: Uint8Array, nth: number) => strFromU8(unzipSync(bytes)[`xl/worksheets/sheet${nth}.xml`])

  test('has numbers, days and texts as what they are, and no formula', async () => {
    const file = await summaryFile('xlsx', named('=1+1'))
    const sheet = sheetOf(file, 1)
    expect(sheet).not.toMatch(/<f[ >/]/)
    expect(sheet).toContain('<c r="A2" s="2"><v>46174</v></c>')
    expect(sheet).toContain('<c r="C2" s="7" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>')
    expect(sheet).toContain('<c r="D2" s="3"><v>7</v></c>')
    expect(sheet).toContain('<c r="F2" s="4"><v>-4.5</v></c><c r="H2"')
    expect(sheet).toContain('state="frozen"')
  })

  test('explains every column, and tells what it was made of', async () => {
    const rules = '{"version":1,"defaultZone":"UTC","daytime":[360,1080],"other":true}'
    const file = await summaryFile('xlsx', [ENTRY], { rules, task: { ids: ['CLR-1', '=x'], now: 1_790_000_000_000 } })
    const { sheets, definitions, parameters } = await readWorkbook(file)
    expect(sheets).toEqual(['Report', 'Definitions', 'Parameters'])
    expect(definitions.map(([name]) => name)).toEqual(['column', ...COLUMNS.summary.map(({ name }) => name)])
    expect(definitions.flat().every((text) => typeof text === 'string' && text !== '')).toBe(true)
    expect(parameters.map(([name, value]) => [name, value])).toEqual([
      ['parameter', 'value'],
      ['report', 'summary'],
      ['startDay', new Date('2026-06-01T00:00:00Z')],
      ['endDay', new Date('2026-06-07T00:00:00Z')],
      ['assertIds', 'CLR-1'],
      ['assertIds', '=x'],
      ['deviceCount', 1],
      ['madeAt', '2026-09-21T14:13:20.000Z'],
      ['product', expect.stringMatching(/^cooler-reports \d/)],
      ['rules.version', 1],
      ['rules.defaultZone', 'UTC'],
      ['rules.daytime', '360,1080'],
      ['rules.other', 'true'],
    ])
  })

  test.each([
    [{}, '(all)'],
    [{ within: { prefix: 'a' } }, '(all that the API key sees)'],
    [{ ids: [] }, '(none)'],
  ])('tells whose report it is where no device is named: %j', async (task, told) => {
    const { parameters } = await readWorkbook(await summaryFile('xlsx', [], { task }))
    expect(parameters.find(([name]) => name === 'assertIds')?.[1]).toBe(told)
  })

  test('goes on in another sheet where a sheet has no more rows', async () => {
    const entries = named('a', 'b', 'c', 'd', 'e')
    const file = written(new XlsxWriter(headOf(5), 2), entries)
    const { sheets, rows } = await readWorkbook(file)
    expect(sheets).toEqual(['Report', 'Report 2', 'Report 3', 'Definitions', 'Parameters'])
    expect(rows.map(({ assertId }) => assertId)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect((await readWorkbook(written(new XlsxWriter(headOf(4), 2), entries.slice(0, 4)))).sheets).toHaveLength(4)
  })

  test.each([
    [18991231, '1899-12-31'],
    [19000228, '1900-02-28'],
    [19000301, 19000301],
    [99991231, 99991231],
  ])('a day that spreadsheets do not have is a text: %i', async (day, cell) => {
    const head = headOf(1, { fromDay: epochDay(day), toDay: epochDay(day) })
    expect((await readWorkbook(written(new XlsxWriter(head), [ENTRY]))).rows[0].startDay).toBe(cell)
  })
})

describe('Parquet', () => {
  test('has a type for each column, Snappy, and what the file was made of', async () => {
    const metadata = await parquetMetadata(await summaryFile('parquet', [ENTRY]))
    const types = metadata.schema.slice(1).map(({ name, type, converted_type, repetition_type }) => {
      return `${name} ${converted_type ?? type} ${repetition_type}`
    })
    expect(types).toEqual([
      'startDay DATE REQUIRED',
      'endDay DATE REQUIRED',
      'assertId UTF8 REQUIRED',
      'visitorCount INT64 REQUIRED',
      'openCloseNum INT64 REQUIRED',
      ...['currTemp', 'setTemp', 'maxTemp', 'minTemp'].map((name) => `${name} DOUBLE OPTIONAL`),
      'powerDuration DOUBLE REQUIRED',
      'powerDayDuration DOUBLE REQUIRED',
      'distance DOUBLE OPTIONAL',
      'distanceMore INT32 REQUIRED',
      'location UTF8 OPTIONAL',
      'latitude DOUBLE OPTIONAL',
      'longitude DOUBLE OPTIONAL',
      'address UTF8 OPTIONAL',
      'throwinDate UTF8 OPTIONAL',
    ])
    expect(metadata.created_by).toMatch(/^cooler-reports version \d/)
    expect(metadata.row_groups[0].columns.map(({ meta_data }) => meta_data?.codec)).toContain('SNAPPY')
    expect(metadata.key_value_metadata).toContainEqual({ key: 'cooler.startDay', value: '2026-06-01' })
  })

  test('is written in groups of rows, so that few are in memory', async () => {
    const file = written(new ParquetReportWriter(headOf(5), 2), named('a', 'b', 'c', 'd', 'e'))
    expect((await parquetMetadata(file)).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 2, 1])
    expect((await parquetRows(file)).map(({ assertId }) => assertId)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})

describe('the entries of a report', () => {
  test('come in slices, whatever is in their texts', () => {
    const entries = named('a', '},{"assertId":', '","assertId":"', '\\"},{\\"assertId\\":', '{', '😀\ud83e', ']}}')
    for (const sliceBytes of [1, 200, 500, 10_000]) {
      const slices = new EntrySlices(Buffer.from(summaryJson(entries)), sliceBytes)
      expect(slices.deviceCount).toBe(entries.length)
      const all = []
      for (let next = slices.next(); next !== null; next = slices.next()) all.push(next)
      expect(all.length).toBe({ 1: 7, 10000: 1 }[sliceBytes] ?? all.length)
      expect(all.flat()).toEqual(entries)
    }
    expect(new EntrySlices(Buffer.from(summaryJson([]))).next()).toBe(null)
  })

  test('are not looked for in what is no report', () => {
    expect(() => new EntrySlices(Buffer.from('{}'))).toThrow('no answer of a report')
  })
})

test('a file that is not being made has no next piece', () => {
  expect(() => new ExportSessions().next(1)).toThrow('not being made')
})

test('files are named after their report and its days', () => {
  expect(fileName('daily', { fromDay: FROM, toDay: FROM }, 'csv')).toBe('cooler-daily-20260601.csv')
  expect(fileName('summary', { fromDay: FROM, toDay: TO }, 'xlsx')).toBe('cooler-summary-20260601-20260607.xlsx')
})
