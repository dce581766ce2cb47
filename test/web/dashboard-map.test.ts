import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { filledService, openDashboard, sharedService } from './dashboard-fixture.ts'

describe('the map', () => {
  const place = (deviceId: string, lat: number, more = {}) => {
    return { deviceId, at: '2025-05-01T00:00:00Z', type: 'placement', lat, lon: 13, ...more }
  }
  const fix = (deviceId: string, at: string, lat: number) => ({ deviceId, at, type: 'gps', lat, lon: 13 })
  const fleet = [
    place('far', 52, { address: 'Unter den Linden', timezone: 'Europe/Berlin' }),
    fix('far', '2025-06-01T12:00:00Z', 52.01),
    fix('far', '2025-06-02T12:00:00Z', 52.0001),
    place('unheard', 48),
    visitors('unheard', 1),
    place('fine', 44),
    fix('fine', '2025-06-01T12:00:00Z', 44.0001),
    visitors('nowhere', 1),
  ]
  const service = sharedService((onEnd) => filledService(fleet, {}, onEnd))
  const marks = (page: Page) =>
    page
      .locator('.leaflet-marker-icon.cooler-mark')
      .evaluateAll((all) =>
        all
          .map(
            (mark) =>
              (mark as unknown as { className: string; title: string }).title +
              ': ' +
              /good|bad|unknown/.exec((mark as unknown as { className: string }).className)?.[0],
          )
          .sort(),
      )

  test('tells where each cooler is meant to stand on that day, which have moved, and of which nobody knows', async () => {
    const { page, go } = await openDashboard(service(), `#/map/${DAY}`)
    const withoutPower = 'no power data'
    expect(await marks(page)).toEqual([
      `far: moved, ${withoutPower}: bad`,
      `fine: ${withoutPower}: bad`,
      `unheard: ${withoutPower}: bad`,
    ])
    const told = page.getByRole('status')
    expect(await told.textContent()).toBe(
      '4 coolers. Of 2 there is no fix: nobody knows whether they have moved. 1 cooler has no placement and is not on the map.',
    )
    expect(await page.locator('path.tie').count()).toBe(1)
    await page.getByLabel('Cooler or address').fill('fine')
    await eventually(() => told.textContent()).toBe('1 cooler. None is known to have moved.')
    // On the day after the cooler is back where it is meant to stand, and its fix of the day before is not shown.
    await go('#/map/20250602')
    expect(await told.textContent()).toMatch(/^4 coolers. None is known to have moved. Of 3 there is no fix/)
    expect(await page.locator('path.tie, path.last-fix').count()).toBe(0)
  })

  test('a cooler without any fix is shown as unknown, not as one that stands where it should', async () => {
    const power = ['unheard', 'fine'].map((deviceId) => ({
      deviceId,
      at: '2025-06-01T00:00:00Z',
      type: 'power',
      on: true,
    }))
    const { page } = await openDashboard(await filledService([...fleet, ...power]), `#/map/${DAY}?search=n`)
    expect(await marks(page)).toEqual(['far: moved, no power data: bad', 'fine: good', 'unheard: unknown'])
  })

  test('leads to a cooler that has moved, with where it was last; the address shows the same to others', async () => {
    const { page, url } = await openDashboard(service(), `#/map/${DAY}`)
    await page.getByRole('button', { name: 'Show far on the map' }).click()
    await page.getByText('1,111.95 m').waitFor()
    await page.getByText('Unter den Linden').waitFor()
    await page.getByText('52.01, 13, 1 Jun 2025, 14:00:00 CEST').waitFor()
    await eventually(() => page.url()).toMatch(/at=52\.0.*&cooler=far$/)
    const near = page.url()
    const other = await openDashboard(service(), near.slice(url.length + 1))
    await other.page.getByText('1,111.95 m').waitFor()
    expect(other.page.url()).toBe(near)
    await page.getByRole('application').press('-')
    await eventually(() => page.url()).not.toBe(near)
    await page.getByRole('link', { name: '31 days of this cooler' }).click()
    await page.getByRole('heading', { name: 'Cooler far' }).waitFor()
  })

  test('puts near coolers together, tells how many have exceptions, and opens them', async () => {
    const many = Array.from({ length: 40 }, (_, nth) => [
      place(`c${nth}`, 52 + nth * 1e-5),
      { deviceId: `c${nth}`, at: '2025-06-01T00:00:00Z', type: 'power', on: nth > 2 },
      { deviceId: `c${nth}`, at: '2025-06-01T23:00:00Z', type: 'power', on: nth > 2 },
    ]).flat()
    const { page } = await openDashboard(
      await filledService([...many, place('z', -30), visitors('z', 1)]),
      `#/map/${DAY}`,
    )
    const cluster = page.getByRole('button', { name: '40 coolers, 3 with an exception' })
    await cluster.focus()
    await page.keyboard.press('Enter')
    await eventually(() => page.locator('.leaflet-marker-icon').count()).toBeGreaterThan(2)
  })
})
