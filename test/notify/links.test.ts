import { expect, test } from 'vitest'
import { linksTo } from '../../src/notify/links.ts'
import { hashOf, parseRoute } from '../../src/web/dashboard/routes.ts'
import { FILE, REPORT } from './example-messages.ts'

const links = linksTo('https://example.org/coolers')
const hash = (link: string): string => link.slice(link.indexOf('#'))
/** 2026-11-20 */
const DAY = 20_777

test('links lead to the views of the dashboard, whatever the id', () => {
  for (const id of ['CLR-1', 'a b/?#%&"<>', 'ä💡', '..', '\ud83d']) {
    const link = links.day(id, 20261120)
    expect(link.startsWith('https://example.org/coolers/#/')).toBe(true)
    expect(hash(link)).toBe(hashOf({ view: 'explain', id, day: DAY }))
    expect(parseRoute(hash(link), 0)).toEqual({ view: 'explain', id: id === '\ud83d' ? '\ufffd' : id, day: DAY })
  }
  for (const exception of ['off', null]) {
    const route = parseRoute(hash(links.fleet(20261120, exception)), 0)
    expect(route).toEqual({ view: 'day', day: DAY, choices: { exception: exception ?? 'any' } })
  }
})

test('a report is linked to where an address can name its devices', () => {
  const base = 'https://example.org/coolers/v1/reports/'
  const day = { ...FILE, fromDay: 20261122 }
  expect(links.file(day, REPORT)).toBe(`${base}daily?day=20261122&format=xlsx`)
  expect(links.file(FILE, { ...REPORT, format: 'json', devices: { ids: ['a&b', 'c'] } })).toBe(
    `${base}summary?startDay=20261116&endDay=20261122&assertIds=a%26b&assertIds=c&format=json`,
  )
  const ids = Array.from({ length: 51 }, (_, index) => `${index}`)
  for (const devices of [{ prefix: 'a' }, { labels: { a: '1' } }, { timezone: 'UTC' }, { ids: [] }, { ids }])
    expect(links.file(FILE, { ...REPORT, devices })).toBeNull()
  expect(links.file({ ...FILE, kind: 'backup' }, REPORT)).toBeNull()
})
