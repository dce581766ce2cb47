import { describe, expect, test } from 'vitest'
import { ReportCache } from '../../src/report/report-cache.ts'

/** What an entry counts for beside its answer: its name, here of one letter, and itself. */
const roomFor = (entries: number, bytes: number): number => entries * (512 + 1 + bytes)

const answer =
  (text: string, until = Infinity, version = 'v1') =>
  async () => ({ bytes: Buffer.from(text), until, version })
const text = async (answered: Promise<string | Uint8Array>): Promise<string> =>
  Buffer.from((await answered) as Uint8Array).toString()
const never = async (): Promise<never> => {
  throw new Error('made once more')
}

describe('a kept report', () => {
  test('is given again to whoever asks for it by the same name and version', async () => {
    const cache = new ReportCache(1e6)
    expect(await text(cache.answer('day 1', 'v1', 0, answer('one')))).toBe('one')
    expect(await text(cache.answer('day 1', 'v1', 5, never))).toBe('one')
    expect(await text(cache.answer('day 2', 'v1', 5, answer('two')))).toBe('two')
    expect(await text(cache.answer('day 1', 'v2', 5, answer('new', Infinity, 'v2')))).toBe('new')
    expect(await text(cache.answer('day 1', 'v2', 5, never))).toBe('new')
  })

  test('is kept under the version of what was read, which may be an older one', async () => {
    const cache = new ReportCache(1e6)
    expect(await text(cache.answer('day', 'v2', 0, answer('old', Infinity, 'v1')))).toBe('old')
    expect(await text(cache.answer('day', 'v1', 0, never))).toBe('old')
    expect(await text(cache.answer('day', 'v2', 0, answer('new', Infinity, 'v2')))).toBe('new')
  })

  test('is made once for all who ask for it meanwhile', async () => {
    const cache = new ReportCache(1e6)
    let times = 0
    const make = async () => {
      times++
      return answer('one')()
    }
    const asked = Array.from({ length: 5 }, () => text(cache.answer('day', 'v1', 0, make)))
    expect([new Set(await Promise.all(asked)), times]).toEqual([new Set(['one']), 1])
  })

  test('holds until the instant that it names, and not before that as of which it was made', async () => {
    const cache = new ReportCache(1e6)
    await cache.answer('day', 'v1', 1000, answer('one', 2000))
    expect(await text(cache.answer('day', 'v1', 1999, never))).toBe('one')
    expect(await text(cache.answer('day', 'v1', 2000, answer('two')))).toBe('two')
    expect(await text(cache.answer('day', 'v1', 1500, answer('three')))).toBe('three')
  })

  test('that could not be made is made by the next who asks', async () => {
    const cache = new ReportCache(1e6)
    await expect(cache.answer('day', 'v1', 0, never)).rejects.toThrow('made once more')
    expect(await text(cache.answer('day', 'v1', 0, answer('one')))).toBe('one')
  })
})

describe('where there is no more room', () => {
  test('those that were asked for longest ago give way', async () => {
    const cache = new ReportCache(roomFor(3, 3))
    for (const name of ['a', 'b', 'c']) await cache.answer(name, 'v1', 0, answer('four'.slice(0, 3)))
    await cache.answer('a', 'v1', 0, never)
    await cache.answer('d', 'v1', 0, answer('345'))
    for (const name of ['a', 'c', 'd']) await cache.answer(name, 'v1', 0, never)
    await expect(cache.answer('b', 'v1', 0, never)).rejects.toThrow('made once more')
  })

  test('a version takes the place of the one before it', async () => {
    const cache = new ReportCache(roomFor(2, 5))
    const of = (version: string) => answer('12345', Infinity, version)
    for (let version = 0; version < 20; version++) await cache.answer('a', `v${version}`, 0, of(`v${version}`))
    await cache.answer('b', 'v19', 0, of('v19'))
    for (const name of ['a', 'b']) await cache.answer(name, 'v19', 0, never)
  })

  test('one that is larger than all of it is not kept, and drives out nothing', async () => {
    const cache = new ReportCache(roomFor(1, 10))
    await cache.answer('a', 'v1', 0, answer('12345'))
    expect(await text(cache.answer('b', 'v1', 0, answer('12345678901')))).toBe('12345678901')
    await cache.answer('a', 'v1', 0, never)
    expect(await text(cache.answer('b', 'v1', 0, answer('again')))).toBe('again')
    const none = new ReportCache(0)
    await none.answer('a', 'v1', 0, answer('1'))
    expect(await text(none.answer('a', 'v1', 0, answer('2')))).toBe('2')
  })
})
