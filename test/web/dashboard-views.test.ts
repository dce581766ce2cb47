import axe, { type AxeResults } from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { filledService, LONG, loaded, openDashboard, PHONE, SIZES, sharedService } from './dashboard-fixture.ts'
import { composeMessage, composeOfEachType, fail, putSubscriptions } from './stored-messages.ts'

const DAY = 20250602
const ID = 'CLR-1'

/** Every view, and what is not there before its data is. */
const VIEWS: Record<string, { hash: string; shows: string }> = {
  'the fleet day': { hash: `#/day/${DAY}`, shows: '.fleet tbody:not(.spacer) tr' },
  'the fleet over some days': { hash: '#/range/20250601/20250602?heat=currTemp', shows: '.heat' },
  'the map': { hash: `#/map/${DAY}`, shows: '.cooler-mark' },
  'a cooler': { hash: `#/device/${ID}/to/${DAY}`, shows: '.plot canvas' },
  'the explanation of a day': { hash: `#/device/${ID}/day/${DAY}`, shows: '.plot canvas' },
  subscriptions: { hash: '#/subscriptions', shows: 'table code' },
  messages: { hash: '#/messages', shows: 'table code' },
  'rejected events': { hash: '#/rejects', shows: '.raw' },
  health: { hash: '#/health', shows: '.note' },
  'an address of no view': { hash: '#/nothing', shows: 'main p' },
}

const [[width, height]] = SIZES
const LARGE = { width, height }

const LOOKS: Record<string, BrowserContextOptions> = {
  'on a phone, in Chinese and dark': {
    ...{ viewport: PHONE, locale: 'zh-CN', colorScheme: 'dark', hasTouch: true, isMobile: true },
  },
  'on a desk, in English and light': { viewport: LARGE, locale: 'en-GB', colorScheme: 'light' },
}

/** A cooler with events of every type, one that is too far off, and two events that are rejected. */
const fleet = (): unknown[] => [
  { deviceId: ID, at: '2025-05-01T00:00:00Z', type: 'placement', lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin' },
  ...[1, 2].flatMap((day) => eventsOf(`2025-06-0${day}`)),
  { deviceId: 'far', at: '2025-05-01T00:00:00Z', type: 'placement', lat: 52, lon: 13 },
  { deviceId: 'far', at: '2025-06-02T12:00:00Z', type: 'gps', lat: 52.01, lon: 13 },
  { deviceId: 'never-heard', at: '2025-06-02T12:00:00Z', type: 'door', note: 'x'.repeat(300) },
  { deviceId: ID, at: 5, type: 'door', open: true },
]

const eventsOf = (day: string): unknown[] => [
  { deviceId: ID, at: `${day}T06:00:00Z`, type: 'power', on: true },
  ...[3.5, 4.25, 5].map((celsius, nth) => {
    return { deviceId: ID, at: `${day}T07:0${nth}:00Z`, type: 'temperature', celsius, setpoint: 4 }
  }),
  ...[true, false, false].map((open) => ({ deviceId: ID, at: `${day}T08:00:00Z`, type: 'door', open })),
  { deviceId: ID, at: `${day}T09:00:00Z`, type: 'gps', lat: 52.5001, lon: 13.4 },
  { deviceId: ID, at: `${day}T10:00:00Z`, type: 'visitor', total: 100 },
  { deviceId: ID, at: `${day}T20:00:00Z`, type: 'power', on: false },
]

const service = sharedService(async (onEnd) => {
  const filled = await filledService(fleet(), {}, onEnd)
  await putSubscriptions(filled)
  await composeOfEachType(filled)
  await fail(filled, await composeMessage(filled, { type: 'test' }))
  return filled
})

describe.each(Object.entries(LOOKS))('%s', (_look, options) => {
  test('each view shows what it is to, within the width of any screen, and axe finds nothing', LONG, async () => {
    const { page, go } = await openDashboard(service(), '#/nothing-yet', options)
    // English needs more room than Chinese. The last size is that of the page at first.
    const sizes = SIZES.toReversed().filter(([wide]) => !options.isMobile || wide === PHONE.width)
    const titles = new Set<string>()
    for (const [name, { hash, shows }] of Object.entries(VIEWS)) {
      if (name !== 'an address of no view') await go(hash)
      else await page.goto(page.url().replace(/#.*/, hash))
      await page.locator(shows).first().waitFor({ state: 'attached' })
      await loaded(page)
      titles.add(await page.title())
      expect(await page.locator('html').getAttribute('lang')).toBe(options.locale === 'zh-CN' ? 'zh-CN' : 'en')
      for (const [wide, high] of sizes) {
        await page.setViewportSize({ width: wide, height: high })
        const needed = () => page.evaluate('document.documentElement.scrollWidth')
        await eventually(needed).toBeLessThanOrEqual(wide) // Plots follow a little later.
      }
      for (const details of await page.locator('details').all()) await details.locator('summary').click()
      expect(await findings(page), name).toEqual([])
    }
    expect(titles.size).toBe(Object.keys(VIEWS).length)
  })
})

/** What axe finds, each with where it is. */
async function findings(page: Page): Promise<string[]> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(`(() => { ${axe.source} })()`)
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

test('all can be reached and used by the keyboard alone', async () => {
  const { page } = await openDashboard(service(), `#/day/${DAY}`)
  const focused = () => page.evaluate('document.activeElement.textContent.trim()')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to content')
  await page.keyboard.press('Enter')
  expect(await focused()).toBe('Fleet on Monday, 2 June 2025')
  await page.locator('.columns summary').focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('region')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Cooler')
  await page.keyboard.press('Enter')
  expect(await page.locator('[aria-sort=ascending]').textContent()).toMatch(/^Cooler/)
  await page.getByRole('link', { name: ID }).focus()
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `Cooler ${ID}`, level: 1 }).waitFor()
  expect(await focused()).toBe(`Cooler ${ID}`)
  await loaded(page)
  await page.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: '2 Jun 2025' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: `${ID} on Monday, 2 June 2025` }).waitFor()
})

test('another language is chosen by hand, and is there again when the page is opened anew', async () => {
  const { page } = await openDashboard(await filledService([]), '#/health')
  await page.getByLabel('Language').selectOption('简体中文')
  await page.getByRole('heading', { name: '管道运行状况' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: '管道运行状况' }).waitFor()
  expect(await page.getByRole('navigation').locator('[aria-current=page]').textContent()).toBe('运行状况')
})
