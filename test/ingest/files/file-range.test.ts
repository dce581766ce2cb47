import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesOfRange, rangesOf } from '../../../src/ingest/files/file-range.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'

const textOf = (path: string, from: number, to: number): string =>
  Array.from(linesOfRange({ path, from, to }), String).join('')

/** The lines of a text that begin from `from` on and before `to`. */
function linesBetween(text: string, from: number, to: number): string {
  let start = 0
  let found = ''
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (start >= from && start < to) found += line
    start += line.length
  }
  return found
}

describe('the lines of a range', () => {
  test('are those that begin in it, wherever it is cut', () => {
    const path = join(temporaryFolder(), 'lines')
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 9 }).map((length) => 'x'.repeat(length))),
        fc.boolean(),
        fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
        (lines, ended, cuts) => {
          const text = lines.join('\n') + (ended ? '\n' : '')
          writeFileSync(path, text)
          const edges = [0, ...cuts.filter((cut) => cut < text.length).sort((one, other) => one - other), text.length]
          const parts = edges.slice(1).map((to, nth) => textOf(path, edges[nth], to))
          expect(parts).toEqual(edges.slice(1).map((to, nth) => linesBetween(text, edges[nth], to)))
          expect(parts.join('')).toBe(text)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('come in chunks that end where a line ends, also beyond what is read at once', () => {
    const path = join(temporaryFolder(), 'lines')
    const lines = Array.from({ length: 200 }, (_, number) => `${number} ${'y'.repeat((number * 7919) % 40_000)}\n`)
    lines[77] = `${'z'.repeat(3_000_000)}\n` // More than a chunk.
    writeFileSync(path, lines.join(''))
    const { length } = readFileSync(path)
    for (const most of [length, 1_000_000, 123_456]) {
      const chunks = rangesOf(path, length, most).flatMap((range) => Array.from(linesOfRange(range), String))
      expect(chunks.every((chunk) => chunk.endsWith('\n'))).toBe(true)
      expect(chunks.join('') === lines.join('')).toBe(true)
    }
  })

  test('a line without an end is cut, so that it does not fill the memory', () => {
    const path = join(temporaryFolder(), 'lines')
    writeFileSync(path, `{}\n${'x'.repeat(40 * 1024 * 1024)}`)
    const { length } = readFileSync(path)
    const sizes = Array.from(linesOfRange({ path, from: 0, to: length }), (chunk) => chunk.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(32 * 1024 * 1024)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(length)
    expect(textOf(path, 1000, length)).toBe('')
  })
})

test('ranges are as few and as even as can be, and none of an empty file', () => {
  expect(rangesOf('f', 10, 4).map(({ from, to }) => [from, to])).toEqual([
    [0, 3],
    [3, 7],
    [7, 10],
  ])
  expect(rangesOf('f', 4, 4)).toEqual([{ path: 'f', from: 0, to: 4 }])
  expect(rangesOf('f', 10, 4, 2).map(({ from, to }) => [from, to])).toEqual([
    [0, 3],
    [3, 5],
    [5, 8],
    [8, 10],
  ])
  expect(rangesOf('f', 0, 4)).toEqual([])
})
