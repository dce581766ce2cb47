import { describe, expect, it } from 'vitest'
import { displayWidth } from '../../src/cli/output/display-width.ts'
import { createProgress, type ProgressOptions } from '../../src/cli/output/progress.ts'
import { spanText } from '../../src/cli/output/span-text.ts'

const ERASE = '\r\u001b[2K'

/** A progress whose clock stands until it is set, and what it wrote. */
function progressOf(options: Partial<ProgressOptions> & { columns?: number; isTTY?: boolean } = {}) {
  const { columns, isTTY, ...rest } = options
  const clock = { ms: 5000 }
  const written: string[] = []
  const stream = {
    write: (text: string) => written.push(text),
    ...(columns === undefined ? {} : { columns }),
    ...(isTTY === undefined ? {} : { isTTY }),
  }
  const progress = createProgress({ label: 'ingest', unit: 'events', stream, now: () => clock.ms, ...rest })
  return { progress, clock, written }
}

describe('on a terminal', () => {
  it('shows bar, percentage, counts, rate and remaining time', () => {
    const { progress, clock, written } = progressOf({ total: 4000, isTerminal: true, columns: 120 })
    clock.ms += 10_000
    progress.update(1000)
    const bar = '█'.repeat(7) + '░'.repeat(23)
    expect(written).toEqual([`${ERASE}ingest  ${bar}  25 %  1,000 of 4,000 events  100 events/s  30 s left`])
  })

  it('is redrawn at most 10 times a second', () => {
    const { progress, clock, written } = progressOf({ total: 1000, isTerminal: true })
    for (let done = 1; done <= 1000; done++) {
      clock.ms++
      progress.update(done)
    }
    expect(written.length).toBe(10)
  })

  it('of an unknown total shows count and rate', () => {
    const { progress, clock, written } = progressOf({ isTerminal: true })
    clock.ms += 4000
    progress.update(10)
    expect(written).toEqual([`${ERASE}ingest: 10 events  2.5 events/s`])
  })

  it('shows neither rate nor remaining time while nothing is done', () => {
    const { progress, written } = progressOf({ total: 10, isTerminal: true, columns: 70 })
    progress.update(0)
    expect(written).toEqual([`${ERASE}ingest  ${'░'.repeat(30)}   0 %  0 of 10 events`])
  })

  it('says 100 % only when all is done, and no more when more is done', () => {
    const percentOf = (done: number, total: number): string | undefined => {
      const { progress, written } = progressOf({ total, isTerminal: true })
      progress.update(done)
      return /(\d+) %/.exec(written.join(''))?.[1]
    }
    expect([percentOf(999, 1000), percentOf(1000, 1000), percentOf(1200, 1000), percentOf(0, 0)]).toEqual([
      '99',
      '100',
      '100',
      '100',
    ])
  })

  it.each([1, 10, 30, 45, 60, 80, 200])('leaves the last of %i columns free', (columns) => {
    const { progress, clock, written } = progressOf({ label: '上海 ingest', total: 4000, isTerminal: true, columns })
    clock.ms += 10_000
    progress.update(1000)
    expect(displayWidth(written.join('').slice(ERASE.length))).toBeLessThan(columns)
  })

  it('finish replaces the line by one that stays, once', () => {
    const { progress, clock, written } = progressOf({ total: 3000, isTerminal: true })
    clock.ms += 65_000
    progress.update(3000)
    progress.finish()
    progress.finish()
    progress.update(4000)
    expect(written.slice(1)).toEqual([`${ERASE}ingest: 3,000 events in 1 min 5 s  46 events/s\n`])
  })

  it('a label cannot command the terminal', () => {
    const { progress, written } = progressOf({ label: 'a\u001b[2J\n', unit: 'x\u0007', isTerminal: true })
    progress.update(1)
    progress.finish()
    expect(written).toEqual([`${ERASE}a\\x1b[2J\\n: 1 x\\x07`, `${ERASE}a\\x1b[2J\\n: 1 x\\x07 in 0 s\n`])
  })
})

describe('elsewhere', () => {
  it('only finish writes, one line', () => {
    const { progress, clock, written } = progressOf({ total: 3000 })
    clock.ms += 1000
    progress.update(1000)
    clock.ms += 1000
    progress.update(3000)
    expect(written).toEqual([])
    progress.finish()
    expect(written).toEqual(['ingest: 3,000 events in 2 s  1,500 events/s\n'])
  })

  it('work that ended early says of how much', () => {
    const { progress, clock, written } = progressOf({ total: 3000 })
    clock.ms += 2000
    progress.update(1000)
    progress.finish()
    expect(written).toEqual(['ingest: 1,000 of 3,000 events in 2 s  500 events/s\n'])
  })

  it('the stream itself says whether it is a terminal', () => {
    const written = [true, false].map((isTTY) => {
      const run = progressOf({ isTTY })
      run.progress.update(1)
      return run.written.length
    })
    expect(written).toEqual([1, 0])
  })
})

describe('spanText', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [500, '1 s'],
    [59_499, '59 s'],
    [59_500, '1 min'],
    [312_000, '5 min 12 s'],
    [3_600_000, '1 h'],
    [3_601_000, '1 h'],
    [7_384_000, '2 h 3 min'],
    [86_400_000 * 40 + 3_600_000 * 23, '40 d 23 h'],
  ])('%i ms are %s', (ms, text) => {
    expect(spanText(ms)).toBe(text)
  })
})
