import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { visitors } from '../../helpers/events.ts'
import { eventually } from '../../helpers/eventually.ts'
import { privateRedis } from '../../helpers/redis.ts'
import { filledService, LONG, openPage } from '../dashboard-fixture.ts'
import { makeKeys } from '../keyed-app.ts'
import { operations } from './documented.ts'

/** Opens the page, which is large, and waits until the description is shown. */
async function openReference(...[service, path]: Parameters<typeof openPage>) {
  const opened = await openPage(service, path)
  await opened.page.getByRole('heading', { name: 'cooler-reports' }).waitFor()
  return opened
}

/** The part of the page that describes a call. */
const sectionOf = (page: Page, summary: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: summary, exact: true }) })
    .last()

/** The paths that a page has asked for, each once, in order; whole addresses for other origins. */
function pathsOf(asked: readonly string[], own: string | null): string[] {
  const paths = asked
    .map((url) => new URL(url))
    .filter(({ protocol }) => protocol !== 'data:')
    .map(({ origin, pathname }) => `${origin === own ? '' : origin}${pathname}`)
  return [...new Set(paths)].sort()
}

// One test, as the page takes long to load.
test(
  'the page describes every call, finds one, shows samples, and tries one with a key, which it keeps nowhere',
  LONG,
  async () => {
    const { keys, settings } = makeKeys({ reader: { scopes: ['read'] } })
    const service = await filledService([visitors('CLR-1', 1)], settings)
    const { page, asked } = await openReference(service, '/docs')
    const summaries = operations().map(({ operation }) => operation.summary)
    await eventually(() => page.locator('h1, h2, h3').allTextContents()).toEqual(expect.arrayContaining(summaries))
    await page.getByRole('search').click()
    await page.getByRole('combobox', { name: 'Enter search query' }).fill('erase events')
    await page.getByRole('option', { name: 'Erase events of a device' }).click()
    await eventually(() => decodeURIComponent(page.url())).toMatch(/#.*delete\/v1\/devices\/\{id\}\/events/i)

    const fleet = sectionOf(page, 'The fleet on a day or in a range')
    await fleet.scrollIntoViewIfNeeded()
    await fleet.getByText(`curl '${service.url}/v1/fleet?day=20261120'`).waitFor()
    await fleet.getByTestId('client-picker').click()
    await page.getByRole('option', { name: 'TypeScript' }).click()
    await fleet.getByText('await response.json()').waitFor()
    expect(pathsOf(asked, service.url)).toEqual(['/docs', '/docs/reference.js', '/openapi.json'])

    const devices = sectionOf(page, 'All devices')
    await devices.scrollIntoViewIfNeeded()
    await devices.getByRole('button', { name: /^Test Request\b/ }).click()
    const dialog = page.getByRole('dialog')
    const send = dialog.getByRole('button', { name: /^send get request/i })
    await send.click()
    await dialog.getByText('an API key is needed').waitFor()
    await dialog.getByPlaceholder('Token').or(dialog.getByLabel(/token/i)).first().fill(keys.reader)
    await send.click()
    await dialog.getByText('"CLR-1"').first().waitFor()
    const stored = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage, document.cookie])')
    expect(stored).not.toContain(keys.reader)
    expect(pathsOf(asked, service.url)).toEqual(['/docs', '/docs/reference.js', '/openapi.json', '/v1/devices'])
  },
)

test('the dashboard, this page and that of the queues link to each other', LONG, async () => {
  const { socket } = await privateRedis()
  const { keys, settings } = makeKeys({ admin: { scopes: ['admin'] } })
  const service = await filledService([], { ...settings, REDIS_URL: socket })
  const credentials = { httpCredentials: { username: 'whoever', password: keys.admin } }
  const { page, asked } = await openPage(service, '/', credentials)
  await page.getByLabel('API key').waitFor()
  await page.getByRole('link', { name: 'API', exact: true }).click()
  await page.getByRole('heading', { name: 'cooler-reports' }).waitFor()
  const targetOf = (name: string) => page.getByRole('link', { name, exact: true }).getAttribute('href')
  expect(await targetOf('Queues')).toBe('/queues')
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('zh-CN')
  await page.getByRole('link', { name: '队列' }).click()
  await page.getByText('rollup-shards').first().waitFor()
  expect(await targetOf('API')).toBe('/docs')
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByLabel('API 密钥').waitFor()
  expect(pathsOf(asked, service.url).filter((path) => path.startsWith('http'))).toEqual([])
})

test('without a queue nothing links to its page', async () => {
  const service = await filledService([])
  for (const path of ['/', '/docs']) {
    const text = await (await fetch(`${service.url}${path}`)).text()
    expect([path, text.includes('"/queues"')]).toEqual([path, false])
  }
})
