import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { csvRows, parquetRows, readWorkbook } from '../report/export/read-back.ts'
import { type Cooler, cooler } from './cooler.ts'
import { land, rollUp } from './in-process.ts'

/** A store with a device and one of an odd id, and the folder that it is in. */
async function filled(): Promise<Cooler & { folder: string }> {
  const program = cooler()
  await land(program, [visitors('=1+1', 7), visitors('b', 3)])
  await rollUp(program)
  return { ...program, folder: dirname(program.store) }
}

const RANGE = [String(DAY), '--to', String(DAY + 1)]

test('report writes the same figures in every format', async () => {
  const { run, json, folder } = await filled()
  const [{ data }] = (await json('report', ...RANGE, '--format', 'json')) as [{ data: { deviceStatusList: object[] } }]
  const expected = data.deviceStatusList.map((entry) => expect.objectContaining(entry))
  const file = async (format: string): Promise<Buffer> => {
    const path = join(folder, `report.${format}`)
    const outcome = await run(['report', ...RANGE, '--format', format, '--output', path])
    expect(outcome).toEqual({ code: 0, stdout: '', stderr: '' })
    return readFileSync(path)
  }
  expect(csvRows(await file('csv'))).toEqual(expected)
  expect((await readWorkbook(await file('xlsx'))).rows).toEqual(expected)
  expect(await parquetRows(await file('parquet'))).toEqual(expected)
  expect(String(await file('table'))).toMatch(/^Range 20250601 to 20250602, 2 devices\n/)
})

test('report writes to standard output where no file is named; --bom begins CSV with a mark', async () => {
  const { run } = await filled()
  const csv = await run(['report', String(DAY), '--format', 'csv', '--id', 'b'])
  expect(csv.stdout).toBe(
    'day,assertId,visitorCount,openCloseNum,currTemp,setTemp,maxTemp,minTemp,powerDuration,powerDayDuration,' +
      'distance,distanceMore\r\n20250601,b,3,0,,,,,0,0,,0\r\n',
  )
  const withMark = await run(['report', String(DAY), '--format', 'csv', '--id', 'b', '--bom'])
  expect(withMark).toEqual({ code: 0, stderr: '', stdout: `\ufeff${csv.stdout}` })
  const piped = await run(['report', String(DAY), '--format', 'parquet'])
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringMatching(/^PAR1[\s\S]*PAR1$/) })
})

test('a file takes the place of the one before it when it is whole', async () => {
  const { run, folder } = await filled()
  const path = join(folder, 'report.csv')
  writeFileSync(path, 'before')
  const write = (day: string) => run(['report', day, '--format', 'csv', '--output', path])
  expect(await write(String(DAY))).toMatchObject({ code: 0 })
  expect(csvRows(readFileSync(path))).toHaveLength(2)
  expect(readdirSync(folder).filter((name) => name.startsWith('report'))).toEqual(['report.csv'])
})

test('wrong use ends with 2, says what is right, and leaves all as it is', async () => {
  const { run, folder, store } = await filled()
  const size = statSync(store).size
  mkdirSync(join(folder, 'folder'))
  const wrong: [RegExp, ...string[]][] = [
    [/Allowed choices are table, json, csv, xlsx, parquet/, '--format', 'pdf'],
    [/--json and --format csv: give one of them/, '--json', '--format', 'csv'],
    [/--bom is for --format csv/, '--bom', '--format', 'xlsx'],
    [/is the store/, '--format', 'csv', '--output', `${store}-wal`],
    [/is a folder/, '--format', 'csv', '--output', join(folder, 'folder')],
    [/is the store/, '--output', store],
    [/nowhere is no folder/, '--format', 'csv', '--output', join(folder, 'nowhere', 'report.csv')],
    [/at most 30 days later/, '--to', '20250702', '--format', 'csv', '--output', join(folder, 'report.csv')],
  ]
  await Promise.all(
    wrong.map(async ([message, ...options]) => {
      const outcome = await run(['report', String(DAY), ...options])
      expect(outcome, options.join(' ')).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
    }),
  )
  expect(statSync(store).size).toBe(size)
  expect(existsSync(join(folder, 'report.csv'))).toBe(false)
})

test('report refuses other settings than those by which the store is rolled up', async () => {
  const { run } = await filled()
  const { code, stdout, stderr } = await run(['report', String(DAY)], { env: { COOLER_DAYTIME: '07:00-19:00' } })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^cooler: the rollups of this store are made by .*use the same/)
})
