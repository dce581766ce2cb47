import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CsvOptions } from '../../src/cli/csv-options.ts'
import { openCsv } from '../../src/cli/csv-rows.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const GOOD = 'id,at,n\na,2025-06-01T12:00:00Z,1\n'
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** The cells of the three columns, and the line, of each row. */
async function readRows(content: string | Buffer, options: CsvOptions = {}): Promise<unknown[]> {
  const file = join(temporaryFolder(), 'rows.csv')
  writeFileSync(file, content)
  const csv = await openCsv(file, options, ['id', 'at', 'n'])
  try {
    const rows: unknown[] = []
    for await (const { cells, line } of csv.rows())
      rows.push([...csv.places.values()].map((at) => cells[at]).concat(`${line}`))
    return rows
  } finally {
    await csv.close()
  }
}

describe('a file that cannot be read right is refused with a sentence', () => {
  test.each<[what: string, content: string | Buffer, message: RegExp, options?: CsvOptions]>([
    ['no CSV', 'id,at,n\n"open', /a quote that opens after line 1 is never closed/],
    ['a column misspelt', GOOD.replace('n', 'N'), /it has no column "n"; its columns are "id", "at", "N"$/m],
    ['a column twice', 'id,at,n, n\n', /it has 2 columns "n"/],
    ['lines above the header', `Shop 7\n\n${GOOD}`, /line 3 has all of them: --skip-lines 2/],
    ['another delimiter than the one given', GOOD, /its columns are "id,at,n"/, { delimiter: ';' }],
    ['nothing in it', '', /it is empty/],
    [
      'bytes of another encoding',
      Buffer.from(`${GOOD}b\xfc,2025-06-01T12:00:00Z,1\n`, 'latin1'),
      /line 3 is not utf-8: .*--encoding/,
    ],
    ['bytes that end within a character', Buffer.from(`${GOOD}\xc3`, 'latin1'), /line 3 is not utf-8/],
    ['UTF-16 without a mark', utf16(GOOD), /line 1 has a NUL in it.*--encoding utf-16le/],
    ['a mark that contradicts', `\uFEFF${GOOD}`, /byte order mark of utf-8/, { encoding: 'windows-1252' }],
    [
      'a quote that takes lines',
      `${GOOD.replace('\n', ',x\n')}a,2025-06-01T12:00:00Z,1,"12\n,,,"y"\n`,
      /ends on line 4 a field begins with a stray quote/,
    ],
    ['a record without an end', `${GOOD}${'x'.repeat(2 ** 21)}`, /the record after line 2 is longer than 1024 KiB/],
    ['a broken archive', gzipSync(GOOD).subarray(0, -9), /cannot be read: unexpected end of file/],
    ['a workbook', 'PK\u0003\u0004', /save it as CSV/],
    ['JSON', '{"id":"a"}\n', /it looks like JSON/],
  ])('%s', async (_, content, message, options) => {
    await expect(readRows(content, options)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(message),
    })
  })
})

test('a broken archive is refused whatever else the process does meanwhile', async () => {
  const uncaught: unknown[] = []
  const note = (error: unknown) => uncaught.push(error)
  process.on('uncaughtException', note)
  onTestFinished(() => void process.off('uncaughtException', note))
  const archive = gzipSync(GOOD).subarray(0, -9)
  for (let run = 0; run < 150; run++) {
    const refused = expect(readRows(archive)).rejects.toMatchObject({ code: 'bad-request' })
    setTimeout(() => {
      for (const until = performance.now() + 3; performance.now() < until; );
    }, run % 5)
    await refused
  }
  expect(uncaught).toEqual([])
})

test.each<[what: string, content: string | Buffer, line: number, options?: CsvOptions]>([
  ['UTF-16 by its mark', utf16(`\uFEFFsep=\t\r\n${GOOD.replaceAll(',', '\t')}`), 3],
  ['UTF-16 by its name', utf16(GOOD).swap16(), 2, { encoding: 'utf-16be' }],
  ['UTF-16 by mark and name', utf16(`\uFEFF${GOOD}`).swap16(), 2, { encoding: 'UTF-16' }],
  ['a mark before a quoted name', `\uFEFF${GOOD.replace('id', '"id"')}`, 2],
  [
    'a sep= line below a title',
    `Shop "7\r"sep=|"\r${GOOD.replaceAll(',', '|').replaceAll('\n', '\r')}`,
    4,
    { skipLines: 1 },
  ],
  ['no header, and tabs', GOOD.slice(8).replaceAll(',', '\t'), 1, { columns: ['id', ' at', 'n'] }],
  ['a decimal comma', GOOD.replaceAll(',', ';').replace('n\n', 'n;t,x\n').replace('1\n', '1;3,5\n'), 2],
  ['columns without a name, or twice, that are not mapped', GOOD.replace('n\n', 'n ,x,x,,\n'), 2],
  ['line ends of all kinds', '\r\n \nid,at,n\r\n\ra,2025-06-01T12:00:00Z,1\r   \n', 5],
  ['a row after quoted line ends', GOOD.replace('n\n', 'n,"x\r\n\r\ny"\r\n\r\n').replace('1\n', '1,"a\r\nb"\n'), 5],
  ['a title that is longer than the sample', `${'x'.repeat(100_000)}\n${GOOD}`, 3, { skipLines: 1 }],
])('%s is read', async (_, content, line, options) => {
  expect(await readRows(content, options)).toEqual([['a', '2025-06-01T12:00:00Z', '1', `${line}`]])
})

test('characters are whole wherever the reading of a file is cut, and the line of a fault is counted from its begin', async () => {
  const row = 'ü€😀,2025-06-01T12:00:00Z,1\n'
  const rows = 3 * Math.ceil((256 * 1024) / Buffer.byteLength(row))
  expect(new Set((await readRows(`id,at,n\n${row.repeat(rows)}`)).map((cells) => (cells as string[])[0]))).toEqual(
    new Set(['ü€😀']),
  )
  const bad = Buffer.concat([Buffer.from(`id,at,n\n${row.repeat(rows)}x`), Buffer.from([0x80]), Buffer.from('\n')])
  await expect(readRows(bad)).rejects.toThrow(`line ${rows + 2} is not utf-8`)
})

test.each([
  ['windows-1252', [0x80, 0xfc], '€ü'],
  ['gbk', [0xce, 0xc2], '温'],
  ['shift_jis', [0x89, 0xb7], '温'],
  ['koi8-r', [0xc1], 'а'],
])('%s is read', async (encoding, bytes, text) => {
  const content = Buffer.concat([
    Buffer.from('id,at,n\n'),
    Buffer.from(bytes),
    Buffer.from(',2025-06-01T12:00:00Z,1\n'),
  ])
  expect(await readRows(content, { encoding })).toEqual([[text, '2025-06-01T12:00:00Z', '1', '2']])
})

test('any table that is written as CSV is read again, each row with the line on which it begins', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ' ', "'", '"', ',', ';', '\t', '\r\n', '\n'), maxLength: 6 })
  const quoted = (text: string): string => (/^[aü]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`)
  const table = fc.array(fc.tuple(fc.constant('x'), cell, cell), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '|', '\t'),
      fc.constantFrom('\n', '\r\n'),
      async (rows, delimiter, lineEnd) => {
        const records = [['id', 'at', 'n'], ...rows].map((row) => row.map(quoted).join(delimiter))
        let line = 1
        const expected = records.map((record, row) => {
          const begin = line
          line += record.split('\n').length
          return [...(rows[row - 1] ?? []), `${begin}`]
        })
        expect(await readRows(records.join(lineEnd))).toEqual(expected.slice(1))
      },
    ),
    { numRuns: 60 },
  )
})
