import { describe, expect, it } from 'vitest'
import { displayWidth, truncate } from '../../src/cli/output/display-width.ts'
import { printable } from '../../src/cli/output/printable.ts'
import { type Column, renderTable } from '../../src/cli/output/table.ts'

interface Row {
  id: string
  place: string | null
  mean: number | null
}

const COLUMNS: Column<Row>[] = [
  { title: 'device', value: (row) => row.id, importance: 2 },
  { title: 'place', value: (row) => row.place },
  { title: 'mean', value: (row) => row.mean, decimals: 2, importance: 1 },
]

const ROWS: Row[] = [
  { id: 'CLR-1', place: 'Karl-Marx-Straße 12, Berlin', mean: 4.5 },
  { id: 'CLR-22', place: null, mean: -12.25 },
  { id: 'CLR-333', place: '上海', mean: null },
]

const lines = (...text: string[]): string => text.join('\n')

describe('printable', () => {
  it.each([
    ['a line break', 'a\nb\r', 'a\\nb\\r'],
    ['an escape sequence', '\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
    ['an eight-bit control', '\u009b31m', '\\x9b31m'],
    ['DEL and NUL', '\u007f\0', '\\x7f\\x00'],
    ['line and paragraph separators', '\u2028\u2029', '\\u2028\\u2029'],
    ['a directional override', 'abc\u202egpj', 'abc\\u202egpj'],
    ['what no one sees', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\xad'],
    ['half of a surrogate pair', '\ud83d!', '\\ud83d!'],
    ['a language tag', '\u{e0041}', '\\u{e0041}'],
  ])('%s is escaped', (_, text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it.each(['Größe', '上海', 'क्षि', '👩‍👩‍👧', 'می‌خواهم', 'C:\\temp', ''])('%j stays as it is', (text) => {
    expect(printable(text)).toBe(text)
  })
})

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['Größe', 5],
    ['Gro\u0308ße', 5],
    ['上海', 4],
    ['ﾊﾝｶｸ', 4],
    ['ＦＵＬＬ', 8],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['😀', 2],
    ['👩‍👩‍👧', 2],
    ['👍🏽', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['❤', 1],
    ['1️⃣', 2],
    ['𠮷', 2],
    ['20 °C ±1…', 9],
    ['\u200d', 0],
  ])('%j takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width)
  })
})

describe('truncate', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 4, 'pla…'],
    ['plain', 1, '…'],
    ['plain', 0, ''],
    ['上海北京', 5, '上海…'],
    ['上海北京', 6, '上海…'],
    ['a👩‍👩‍👧b', 3, 'a…'],
    ['Gro\u0308ße', 4, 'Gro\u0308…'],
  ])('%j in %i columns is %j', (text, width, expected) => {
    expect(truncate(text, width)).toBe(expected)
  })
})

describe('renderTable', () => {
  it('numbers stand right, text left, unknown is a dash', () => {
    expect(renderTable(COLUMNS, ROWS)).toBe(
      lines(
        'device   place                          mean',
        'CLR-1    Karl-Marx-Straße 12, Berlin    4.50',
        'CLR-22   -                            -12.25',
        'CLR-333  上海                              -',
      ),
    )
  })

  it('undefined and NaN are unknown too, false and 0 are not', () => {
    const column: Column<number | boolean | undefined> = { title: 'x', value: (row) => row }
    expect(renderTable([column], [undefined, Number.NaN, 0])).toBe(lines('x', '-', '-', '0'))
    expect(renderTable([column], [undefined, false])).toBe(lines('x', '-', 'false'))
  })

  it('no rows leave the titles, no columns the empty text', () => {
    expect(renderTable(COLUMNS, [])).toBe('device  place  mean')
    expect(renderTable([], ROWS)).toBe('')
  })

  it('the least important text is cut first', () => {
    expect(renderTable(COLUMNS, ROWS, { width: 29 })).toBe(
      lines(
        'device   place           mean',
        'CLR-1    Karl-Marx-S…    4.50',
        'CLR-22   -             -12.25',
        'CLR-333  上海               -',
      ),
    )
  })

  it('where cutting is not enough, the least important columns are left out and named', () => {
    expect(renderTable(COLUMNS, ROWS, { width: 20 })).toBe(
      lines(
        'device     mean', //
        'CLR-1      4.50',
        'CLR-22   -12.25',
        'CLR-333       -',
        '… not shown: place',
      ),
    )
  })

  it('the most important column is left, however narrow the terminal', () => {
    expect(renderTable(COLUMNS, ROWS, { width: 6 })).toBe(lines('device', 'CLR-1', 'CLR-22', 'CLR-3…', '… not…'))
    expect(renderTable(COLUMNS, ROWS, { width: 1 })).toBe(lines('…', '…', '…', '…', '…'))
  })

  it('of equally important columns the last gives way first', () => {
    const columns: Column<string>[] = ['a', 'b', 'c'].map((title) => ({ title, value: (row) => row }))
    expect(renderTable(columns, ['123456789'], { width: 30 })).toBe(
      lines('a          b          c', '123456789  123456789  1234567…'),
    )
  })

  it('a long title is cut over numbers, which are not', () => {
    const columns: Column<number>[] = [{ title: 'powerDayDuration', value: (row) => row, decimals: 1 }]
    expect(renderTable(columns, [123.5], { width: 8 })).toBe(lines('powerDa…', '   123.5'))
    expect(renderTable(columns, [123.5], { width: 3 })).toBe(lines('po…', '  …'))
  })

  it.each([1, 2, 3, 5, 8, 13, 20, 21, 30, 40, 45, 80])('no line is longer than %i columns', (width) => {
    for (const line of renderTable(COLUMNS, ROWS, { width }).split('\n')) {
      expect(displayWidth(line)).toBeLessThanOrEqual(width)
    }
  })

  it('cells and titles cannot break the line or command the terminal', () => {
    const columns: Column<string>[] = [{ title: 'id\u001b[5m', value: (row) => row }]
    const table = renderTable(columns, ['a\nb', '\u001b[2J', '\u202e'])
    expect(table).toBe(lines('id\\x1b[5m', 'a\\nb', '\\x1b[2J', '\\u202e'))
  })

  it('colour makes titles bold and unknown dim, and moves nothing', () => {
    const table = renderTable(COLUMNS, ROWS, { color: true })
    expect(table).toContain('\u001b[1mdevice \u001b[22m')
    expect(table).toContain(`\u001b[2m-${' '.repeat(26)}\u001b[22m`)
    const plain = ['\u001b[1m', '\u001b[2m', '\u001b[22m'].reduce((text, code) => text.replaceAll(code, ''), table)
    expect(plain.split('\n').map((line) => line.trimEnd())).toEqual(renderTable(COLUMNS, ROWS).split('\n'))
  })
})
