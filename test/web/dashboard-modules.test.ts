import { describe, expect, test } from 'vitest'
import { ERRORS } from '../../src/base/errors.ts'
import { idText } from '../../src/base/id-text.ts'
import { messageText } from '../../src/base/message-text.ts'
import { dayText, parseDay } from '../../src/web/dashboard/days.ts'
import { CHINESE_ERRORS } from '../../src/web/dashboard/errors-zh.ts'
import { ENGLISH } from '../../src/web/dashboard/messages-en.ts'
import { CHINESE } from '../../src/web/dashboard/messages-zh.ts'
import { hashOf, parseRoute, type Route } from '../../src/web/dashboard/routes.ts'
import { readCoasts } from '../../src/web/dashboard-server/coasts.ts'
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

  const browser = sourceFiles('src/web/dashboard').filter(({ path }) => !/(messages|errors)(-[\w-]+)?\.ts$/.test(path))
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
      /^(long|total|filter|exception|exception-text|status|status-text|power|door|why|reason|change|kind|every|when|message)-|^(currTemp|setTemp|\w+Num|\w+Count|\w+Temp|\w+Duration|distance|distanceMore)$/
    const unused = Object.keys(ENGLISH).filter((name) => !made.test(name) && !all.includes(`'${name}'`))
    expect(unused).toEqual([])
  })
})

describe('routes', () => {
  test.each<Route>([
    { view: 'day', day: 20_240, choices: {} },
    {
      view: 'day',
      day: 20_240,
      choices: { search: 'a&b=c #?%€😀', exception: 'moved', sort: 'distance', order: 'desc' },
    },
    { view: 'range', from: 20_240, to: 20_270, choices: { columns: 'status distance', heat: 'currTemp' } },
    { view: 'map', day: 20_240, choices: { at: '52.5,13.4,11', cooler: '..' } },
    { view: 'device', id: 'a/b #?%€😀', lastDay: 20_240 },
    { view: 'explain', id: '../..', day: 20_240 },
    { view: 'subscriptions' },
    { view: 'messages', choices: {} },
    { view: 'messages', choices: { subscription: 'a&b', state: 'failed' } },
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
      '#/range/20250101',
      '#/range/20250102/20250101',
      '#/range/20250101/20250201',
      '#/device',
      '#/device/%',
      '#/device/a/x/20250101',
    ]) {
      expect(parseRoute(hash, 0), hash).toBe(null)
    }
    expect(parseRoute('', Date.UTC(2025, 5, 2))).toEqual({ view: 'day', day: parseDay('20250601'), choices: {} })
    expect(parseRoute('#/day/20250601?search=x&other=y', 0)).toMatchObject({ choices: { search: 'x' } })
    expect([parseDay('20240229'), parseDay('00010101'), dayText(0)]).toEqual([19_782, null, '19700101'])
  })
})

test('the coasts of the world are cut at the antimeridian, without a line across the map', () => {
  const rings = readCoasts()
  expect(rings.length).toBeGreaterThan(100)
  const places = rings.flat()
  expect(places.filter(([lat, lon]) => Math.abs(lat) > 90 || Math.abs(lon) > 180)).toEqual([])
  const across = rings.filter((ring) => ring.some(([, lon], nth) => nth > 0 && Math.abs(lon - ring[nth - 1][1]) > 180))
  // Antarctica alone is closed along the pole, from edge to edge.
  expect(across.map((ring) => Math.min(...ring.map(([lat]) => lat)))).toEqual([-90])
})

describe('the id of a cooler', () => {
  test('in ASCII is shown as it is; in other letters it keeps the order of the text around it', () => {
    expect([idText('CLR-1 (a)'), idText('冷柜'), idText('שלום')]).toEqual([
      'CLR-1 (a)',
      '\u2068冷柜\u2069',
      '\u2068שלום\u2069',
    ])
  })

  test('shows what would not be seen, or would turn around what follows', () => {
    expect(idText('a\u202Eb\u200B')).toBe('\u2068a⟨U+202E⟩b⟨U+200B⟩\u2069')
    expect(idText('a\n\u0000\ud800')).toBe('\u2068a⟨U+000A⟩⟨U+0000⟩⟨U+D800⟩\u2069')
  })
})

test('every error of the service is said in Chinese', () => {
  expect(Object.keys(CHINESE_ERRORS)).toEqual(Object.keys(ERRORS))
})
