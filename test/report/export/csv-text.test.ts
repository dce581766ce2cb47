import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvText, textOfCsv } from '../../../src/report/export/csv-text.ts'

const PIECES = ['=1', '+', '-', '@', ';', '"', "'", ' ', '\t', '\n', '\r', ',', 'a', '\ufeff', '\uff1d', '\0']
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''))

/** The field as a reader of CSV has it. */
const read = (field: string): string => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)

test('no formula stands at the beginning of a text, or after a semicolon, where others see another cell', () => {
  fc.assert(
    fc.property(text, (original) => {
      const written = csvText(original)
      expect(read(written)).not.toMatch(/^[=+\-@]/)
      expect(written).not.toMatch(/;[ "\0\ufeff]*[=+\-@\uff1d]/)
    }),
    { numRuns: 3000 },
  )
  expect(csvText('a; =cmd()')).toBe("a;' =cmd()")
  expect(csvText('a\n=cmd()')).toBe('"a\n\'=cmd()"')
  expect(csvText('a;b, c\r\nd')).toBe('"a;b, c\r\nd"')
})

test('every text comes back', () => {
  fc.assert(
    fc.property(text, (original) => {
      expect(textOfCsv(read(csvText(original)))).toBe(original)
    }),
    { numRuns: 3000 },
  )
})
