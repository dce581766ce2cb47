import { expect, test } from 'vitest'
import { filledService, openPage } from '../dashboard-fixture.ts'
import { operations } from './documented.ts'

test('the page describes every call, lets one be tried, and asks nobody but the service', async () => {
  const service = await filledService([])
  const { page, asked } = await openPage(service, '/docs')
  for (const { operation } of operations())
    await page.getByRole('heading', { name: operation.summary, exact: true }).first().waitFor({ state: 'attached' })
  await page
    .getByRole('button', { name: /^Test Request\b.*\/v1\/devices\b/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^send get request/i }).click()
  await page.getByRole('dialog').getByText('"devices"').waitFor()
  const paths = asked
    .map((url) => new URL(url))
    .map(({ origin, pathname }) => `${origin === service.url ? '' : origin}${pathname}`)
  expect([...new Set(paths)].sort()).toEqual(['/docs', '/docs/reference.js', '/openapi.json', '/v1/devices'])
})
