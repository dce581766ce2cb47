import { expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { filledService, openDashboard, sharedService } from './dashboard-fixture.ts'

/** Coolers of which one has events of one day, and two have ids that no path can hold. */
const few = sharedService((onEnd) => filledService([visitors('.', 1), visitors('..', 2), visitors('a', 2)], {}, onEnd))

test('coolers whose ids no path can hold are shown like others', async () => {
  const { page, go } = await openDashboard(few(), '#/health')
  for (const id of ['.', '..']) {
    await go(`#/device/${id}/to/${DAY}`)
    await page.getByText('Last heard').waitFor()
    await go(`#/device/${id}/day/${DAY}`)
    await page.getByText('settled', { exact: true }).waitFor()
  }
})

test('the explanation of a day has its readings in pages, and those of one figure', async () => {
  const start = Date.parse('2025-06-01T06:00:00Z')
  const events = Array.from({ length: 250 }, (_, nth) => visitors('a', nth, start + nth * 1000))
  // After more readings than a page has: its span is told with them, and must be there all the same.
  const off = { deviceId: 'a', at: '2025-06-01T18:00:00Z', type: 'power', on: false }
  const { page } = await openDashboard(await filledService([...events, off]), `#/device/a/day/${DAY}`)
  await page.getByText('Power states as a table').click()
  expect(await page.getByRole('row', { name: /18:00:00 00:00:00 off/ }).count()).toBe(1)
  const rows = page.locator('.readings tbody tr')
  expect(await rows.count()).toBe(200)
  await page.getByRole('button', { name: 'More readings' }).click()
  await eventually(() => rows.count()).toBe(251)
  expect(await rows.nth(249).textContent()).toBe('06:04:09visitorcount 249counts 249')
  expect(await page.getByRole('button', { name: 'More readings' }).count()).toBe(0)
  await page.getByLabel('Readings of').selectOption('Mean deviation from the placement')
  await page.getByText('No readings.').waitFor()
  expect(await page.getByText('settled', { exact: true }).count()).toBe(1)
})

test('31 days of a cooler take one call, and days of which nothing is known have no bars', async () => {
  const { page } = await openDashboard(few(), `#/device/b/to/${DAY}`)
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await page.evaluate(`location.hash = '#/device/a/to/${DAY}'`)
  const chart = page.locator('.panel', { has: page.getByRole('heading', { name: 'Doors and visitors' }) })
  await chart.locator('canvas').waitFor()
  expect(asked.filter((path) => !path.startsWith('/dashboard/'))).toEqual(['/v1/devices/a', '/v1/devices/a/days'])
  await chart.getByText('As a table').click()
  const rows = await chart.locator('.plain tbody tr').allInnerTexts()
  expect(rows).toHaveLength(31)
  expect(rows.at(-1)).toMatch(/^1 Jun 2025\t0\t2$/)
  expect(rows[0]).toMatch(/^2 May 2025\t–/)
  // The crosshair of one chart is that of all; a day that is chosen is explained.
  await chart.locator('.u-over').hover({
    position: {
      x:
        (await chart.locator('.u-over').evaluate((over) => (over as unknown as { clientWidth: number }).clientWidth)) -
        5,
      y: 20,
    },
  })
  const shown = page.locator('.u-legend tr:first-child .u-value')
  await eventually(() => shown.allTextContents()).toEqual(new Array(4).fill('Sunday, 1 June 2025'))
  await page.mouse.down()
  await page.mouse.up()
  await page.getByRole('heading', { name: 'a on Sunday, 1 June 2025' }).waitFor()
})

test('a curve of one reading has the hours of its day', async () => {
  const fix = [
    { deviceId: 'a', at: '2025-05-01T00:00:00Z', type: 'placement', lat: 52, lon: 13 },
    { deviceId: 'a', at: '2025-06-01T12:00:00Z', type: 'gps', lat: 52, lon: 13 },
  ]
  const { page } = await openDashboard(await filledService(fix), `#/device/a/day/${DAY}`)
  const curve = page.locator('h3:has-text("Fixes") + .plot')
  const over = curve.locator('.u-over')
  const { width } = (await over.boundingBox()) as { width: number }
  // Where the crosshair leaps to is the middle of the plot, as noon is that of the day.
  await over.hover({ position: { x: width / 2, y: 10 } })
  const left = await curve
    .locator('.u-cursor-pt')
    .first()
    .evaluate((point) => (point as never as { getBoundingClientRect(): { x: number } }).getBoundingClientRect().x)
  expect(Math.abs(left - ((await over.boundingBox())?.x ?? 0) - width / 2)).toBeLessThan(10)
})

test('the explanation of a day without a fix does not tell that the cooler was where it should be', async () => {
  const { page } = await openDashboard(few(), `#/device/a/day/${DAY}`)
  expect(await page.getByRole('row', { name: /More than 200 m off/ }).textContent()).toContain('no fix, so not known')
})

test('a silent day is not shown as one that was measured', async () => {
  const power = { deviceId: 'a', at: '2025-06-01T00:00:00Z', type: 'power', on: true }
  const { page, go } = await openDashboard(await filledService([power]), '#/device/a/day/20250602')
  await page.getByText('The cooler was not heard on this day.').waitFor()
  await go('#/device/a/to/20250602')
  await page.getByText('On the shaded days the cooler was silent').waitFor()
})

test('in Chinese, what the service refuses is said in Chinese', async () => {
  const { page } = await openDashboard(few(), '#/device/none/to/20250601', {
    locale: 'zh-CN',
  })
  await page.getByText('没有这台冷柜').waitFor()
  expect(await page.locator('.trouble').textContent()).not.toMatch(/[a-z]{3}/)
})
