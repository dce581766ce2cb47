import { expect, test } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { digest, many } from '../notify/example-messages.ts'
import { filledService, openDashboard, PHONE } from './dashboard-fixture.ts'
import { makeKeys } from './keyed-app.ts'
import { composeMessage, composeOfEachType, fail, putSubscriptions } from './stored-messages.ts'

test('subscriptions are listed with what, when, where to and state; a test is sent, and one is removed', async () => {
  const service = await filledService([])
  await putSubscriptions(service)
  const { page } = await openDashboard(service, '#/subscriptions')
  const row = (name: string) => page.getByRole('row', { name })
  const texts = await row('route-12').locator('td').allTextContents()
  expect(texts.slice(0, 4)).toEqual(['off, moved: all coolers', 'when the day closes', 'ops@example.org', 'in use'])
  expect(await row('night warm').textContent()).toMatch(
    /slack https:\/\/example.org\/….*ended: the receiver answered 410/,
  )
  expect(await row('weekly').textContent()).toMatch(/Report, xlsx: all coolers.*every week, 06:30 Europe\/Berlin.*off/)

  await page.getByRole('button', { name: 'Send a test of route-12' }).click()
  await page.getByText('A test of route-12 will be sent').waitFor()
  await row('route-12').getByRole('link', { name: 'Messages' }).click()
  await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
  expect(await page.getByRole('row', { name: 'waiting' }).textContent()).toMatch(/route-12Test, .*next attempt/)
  expect(await page.getByLabel('Subscription').inputValue()).toBe('route-12')

  await page.goBack()
  await page.getByRole('button', { name: 'Remove weekly' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Remove weekly' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Removed: weekly.').waitFor()
  expect(await row('weekly').count()).toBe(0)
})

test('messages are filtered, opened with links to the days, and sent again where they failed', async () => {
  const service = await filledService([])
  await composeOfEachType(service)
  const id = await composeMessage(service, digest(many(600)), { subscription: 'large' })
  await fail(service, id)
  const { page } = await openDashboard(service, '#/messages')
  expect(await page.locator('tbody tr').count()).toBe(5)
  await page.getByLabel('State').selectOption('failed')
  await eventually(() => page.locator('tbody tr').count()).toBe(1)
  expect(page.url()).toMatch(/#\/messages\?state=failed$/)
  expect(await page.locator('tbody tr').textContent()).toMatch(/failedthe receiver answered 503/)

  await page.getByRole('button', { name: `Show the message ${id}` }).click()
  await page.getByText('500 of 600 coolers').waitFor()
  const link = page.getByRole('region', { name: 'What the message says' }).getByRole('link').first()
  expect(await link.getAttribute('href')).toMatch(/^#\/device\/[^/]+\/day\/20261120$/)

  await page.getByRole('button', { name: `Try again: message ${id}` }).click()
  await page.getByText('The message will be sent again.').waitFor()
  await page.getByText('There is no message.').waitFor()
})

test('both are used by the keyboard alone, and what takes the focus away leaves it at the outcome', async () => {
  const service = await filledService([])
  await putSubscriptions(service)
  const id = await composeMessage(service, digest(many(2)))
  await fail(service, id)
  const { page } = await openDashboard(service, '#/subscriptions')
  const focused = () => page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent')
  const press = async (name: string): Promise<void> => {
    await page.getByRole('button', { name }).focus()
    await page.keyboard.press('Enter')
  }
  await press('Remove weekly')
  await page.keyboard.press('Escape')
  expect(await focused()).toBe('Remove weekly')
  await press('Remove weekly')
  expect(await focused()).toBe('Remove')
  await page.keyboard.press('Enter')
  await page.getByText('Removed: weekly.').waitFor()
  expect(await focused()).toBe('Removed: weekly.')

  await page.evaluate("location.hash = '#/messages'")
  await press(`Show the message ${id}`)
  await page.getByText('2 of 2 coolers').waitFor()
  expect(await focused()).toMatch(/^Exceptions/)
  await press(`Try again: message ${id}`)
  await page.getByText('The message will be sent again.').waitFor()
  expect(await focused()).toBe('The message will be sent again.')
})

test('an opened message fits a phone', async () => {
  const service = await filledService([])
  await composeOfEachType(service)
  const { page } = await openDashboard(service, '#/messages?subscription=route-12', { viewport: PHONE })
  await page
    .getByRole('button', { name: /^Show the message/ })
    .first()
    .click()
  await page.getByText('late-events').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width)
})

test('a key that is limited to some devices, or that only reads, sees neither', async () => {
  const { keys, settings } = makeKeys({ some: { scopes: ['admin'], prefix: 'a' }, reader: { scopes: ['read'] } })
  const service = await temporaryService({ api: true, work: false }, settings)
  for (const key of [keys.some, keys.reader]) {
    const { page } = await openDashboard(service, '#/subscriptions')
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Use this key' }).click()
    await page.getByRole('heading', { name: 'Your key may not see this' }).waitFor()
    await page.evaluate("location.hash = '#/messages'")
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor()
    await page.getByRole('heading', { name: 'Your key may not see this' }).waitFor()
    await page.evaluate('sessionStorage.clear()')
  }
})
