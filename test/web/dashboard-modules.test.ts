import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import type { DailyEntry } from '../../src/web/dashboard/answers.ts'
import { dayText, parseDay } from '../../src/web/dashboard/days.ts'
import { Entries, FLAGGED_FIRST, rowsOf, totalsOf } from '../../src/web/dashboard/fleet.ts'
import { messageText } from '../../src/web/dashboard/message-text.ts'
import { ENGLISH } from '../../src/web/dashboard/messages-en.ts'
import { CHINESE } from '../../src/web/dashboard/messages-zh.ts'
import { outlineOf } from '../../src/web/dashboard/outline.ts'
import { readEntries } from '../../src/web/dashboard/read-entries.ts'
import { hashOf, parseRoute, type Route } from '../../src/web/dashboard/routes.ts'
import { scaleOf } from '../../src/web/dashboard/scale.ts'
import { sourceFiles } from '../helpers/source-files.ts'

const placeholders = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()

describe('messages', () => {
  test('are the same in both languages, with the same to be put in', () => {
    expect(Object.keys(CHINESE).sort()).toEqual(Object.keys(ENGLISH).sort())
    for (const [name, text] of Object.entries(ENGLISH)) {
      const chinese = CHINESE[name as keyof typeof ENGLISH]
      expect(placeholders(chinese), name).toEqual(placeholders(text))
      expect([text, chinese], name).not.toContain('')
      expect(text, name).not.toMatch(/\p{Script=Han}/u)
    }
  })

  test('speak of one in the singular, and of none and many in the plural', () => {
    const said = (name: keyof typeof ENGLISH, count: number): string => {
      const parts = placeholders(ENGLISH[name]).map((part) => [part.slice(1, -1), count])
      return messageText(ENGLISH[name], Object.fromEntries(parts), String)
    }
    // Of a day its hours are told, with decimals: 1.00 hours.
    const names = (Object.keys(ENGLISH) as (keyof typeof ENGLISH)[]).filter((name) => name !== 'power-text')
    const wrong = /\b1 (?:power |earlier )?[a-z]{2,}s\b/
    expect(names.map((name) => said(name, 1)).filter((text) => wrong.test(text))).toEqual([])
    expect([said('waiting', 1), said('waiting', 0), said('waiting', 2000)]).toEqual([
      '1 event waits for the next rollup.',
      '0 events wait for the next rollup.',
      '2000 events wait for the next rollup.',
    ])
    expect(said('from-power', 1)).toBe('1 power event, 1 span, 1 s')
    expect(messageText(ENGLISH['from-readings'], { readings: 'not known' }, String)).toBe('not known readings')
  })

  const browser = sourceFiles('src/web/dashboard').filter(({ path }) => !/messages(-[\w-]+)?\.ts$/.test(path))
  const code = browser.map(({ path, lines }) => ({
    path,
    text: lines.filter((line) => !/^\s*(\/\/|\/?\*)/.test(line)).join('\n'),
  }))

  test('hold all that is said: no words stand in the code', () => {
    const words = /(['"`])(?:[A-Z][a-z]+ [a-z]+|[A-Z][a-z]+[.!?…]|[^'"`\n]*\p{Script=Han})[^'"`\n]*\1/gu
    expect(code.flatMap(({ path, text }) => [...text.matchAll(words)].map(([found]) => `${path}: ${found}`))).toEqual(
      [],
    )
  })

  test('are all said somewhere', () => {
    const all = code.map(({ text }) => text).join('\n')
    const made =
      /^(long|subset|status|status-text|power|door|why|reason)-|^(currTemp|setTemp|\w+Num|\w+Count|\w+Temp|\w+Duration|distance|distanceMore)$/
    const unused = Object.keys(ENGLISH).filter((name) => !made.test(name) && !all.includes(`'${name}'`))
    expect(unused).toEqual([])
  })
})

describe('routes', () => {
  test.each<Route>([
    { view: 'day', day: 20_240 },
    { view: 'map', day: 20_240 },
    { view: 'device', id: 'a/b #?%€😀', lastDay: 20_240 },
    { view: 'explain', id: '../..', day: 20_240 },
    { view: 'rejects' },
    { view: 'health' },
  ])('$view is linked to and found again', (route) => {
    expect(parseRoute(hashOf(route), 0)).toEqual(route)
  })

  test('what names no view, or no day of the calendar, is none', () => {
    for (const hash of [
      '#/x',
      '#/day/20250229',
      '#/day/1',
      '#/map/20250101/x',
      '#/device',
      '#/device/%',
      '#/device/a/x/20250101',
    ]) {
      expect(parseRoute(hash, 0), hash).toBe(null)
    }
    expect(parseRoute('', Date.UTC(2025, 5, 2))).toEqual({ view: 'day', day: parseDay('20250601') })
    expect([parseDay('20240229'), parseDay('00010101'), dayText(0)]).toEqual([19_782, null, '19700101'])
  })
})

describe('the entries of a report', () => {
  const HOSTILE = ['},{"assertId":', ']', '"', '\\', '{}', '€😀', ']}}', '},{']
  const report = (ids: readonly string[]): Uint8Array => {
    const deviceStatusList = ids.map((assertId) => ({ assertId, visitorCount: 1 }))
    const answer = { status: 200, message: 'OK', data: { day: 20250601, deviceCount: ids.length, deviceStatusList } }
    return new TextEncoder().encode(JSON.stringify(answer))
  }
  const streamed = (bytes: Uint8Array, size: number): ReadableStream<Uint8Array> =>
    new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })

  test.each([1, 7, 64, 1_000_000])('come whole from parts of %d bytes, whatever their ids hold', async (size) => {
    for (const ids of [[], ['a'], HOSTILE, [...HOSTILE, ...HOSTILE]]) {
      const found: string[] = []
      for await (const { entries, deviceCount } of readEntries<DailyEntry>(streamed(report(ids), size))) {
        found.push(...entries.map(({ assertId }) => assertId))
        expect(deviceCount).toBe(ids.length)
      }
      expect(found).toEqual(ids)
    }
  })
})

test('rows are sorted with what is unknown last, flagged ones first, and equals by id', () => {
  const fleet = new Entries()
  const entry = (assertId: string, currTemp: number | null, distanceMore: 0 | 1 = 0) =>
    ({ assertId, currTemp, minTemp: currTemp, maxTemp: currTemp, distanceMore, visitorCount: 1 }) as DailyEntry
  fleet.add([entry('a', null), entry('b', -1)], 2)
  fleet.add([entry('c', 5, 1), entry('d', -1), entry('e', null, 1)], 5)
  const ids = (...given: Parameters<typeof rowsOf> extends [Entries, ...infer Rest] ? Rest : never): string =>
    [...rowsOf(fleet, ...given)].map((row) => fleet.ids[row]).join('')
  expect(ids(FLAGGED_FIRST, 'all', '')).toBe('ceabd')
  expect(ids({ by: 'currTemp', descending: false }, 'all', '')).toBe('bdcae')
  expect(ids({ by: 'currTemp', descending: true }, 'all', '')).toBe('cbdae')
  expect(ids({ by: 'id', descending: true }, 'flagged', '')).toBe('ec')
  expect(ids({ by: 'id', descending: false }, 'no-temperature', ' E ')).toBe('e')
  expect(totalsOf(fleet)).toMatchObject({ coolers: 5, flagged: 2, withoutTemperature: 2, coldest: -1, warmest: 5 })
})

describe('the marks of an axis', () => {
  const marks = (values: readonly number[], kind: { zero: boolean; whole?: boolean }): number[] =>
    scaleOf(values, { from: 0, to: 100, ...kind }).marks

  test('of counts are whole numbers, up to 1 at least', () => {
    const counts = { zero: true, whole: true }
    for (const none of [[], [0], [0, 0, 0], [Number.NaN, 0]]) expect(marks(none, counts)).toEqual([0, 1])
    expect(marks([1], counts)).toEqual([0, 1])
    expect(marks([0, 2], counts)).toEqual([0, 1, 2])
    expect(marks([7], counts)).toEqual([0, 2, 4, 6, 8])
    expect(marks([0, 130], counts)).toEqual([0, 50, 100, 150])
  })

  test('of measures may be fractions, and hold all that is known', () => {
    expect(marks([0, 0], { zero: true })).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(marks([-0.3, 0], { zero: false })).toEqual([-0.3, -0.2, -0.1, 0])
    expect(marks([4, 4], { zero: false })).toEqual([4, 5])
    expect(marks([-5, -1], { zero: true })).toEqual([-5, -4, -3, -2, -1, 0])
  })
})

test('the outline of the world is closed rings, without a line across the map', () => {
  const land = createRequire(import.meta.url).resolve('world-atlas/land-110m.json')
  const rings = outlineOf(JSON.parse(readFileSync(land, 'utf8')))
  expect(rings.length).toBeGreaterThan(100)
  const across = rings.filter((ring) =>
    ring.some((x, at) => at % 2 === 0 && at > 0 && Math.abs(x - ring[at - 2]) > 0.5),
  )
  // Antarctica alone reaches from edge to edge.
  expect(across.length).toBeLessThanOrEqual(1)
  for (const ring of rings) expect([...ring.slice(0, 2)]).toEqual([...ring.slice(-2)])
})
