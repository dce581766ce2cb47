import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DAY, manyVisitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { filledService, openDashboard, PHONE } from './dashboard-fixture.ts'
import { FLEET_DAY, filledFleet } from './dashboard-fleet.ts'
import { makeKeys } from './keyed-app.ts'

const LAST = 'CLR-004999'

test('the fleet day tells each figure with its unit, flagged coolers first, and null as a dash', async () => {
  const { page } = await openDashboard(await filledService([...fleetOfThree()]), `#/day/${DAY}`)
  expect(await page.title()).toBe('Fleet on Sunday, 1 June 2025 – Cooler reports')
  const rows = await page.locator('.fleet tbody:not(.spacer) tr').allInnerTexts()
  expect(rows.map((row) => row.split(/\s*\t\s*/).map((cell) => cell.replace(/\n.*/s, '').trim()))).toEqual([
    ['far', '▲ > 200 m', '1,111.95', '–', '–', '–', '–', '0.00', '0.00', '0', '0'],
    ['cold', '–', '–', '-1.00', '0.50', '-2.50', '-1.50', '0.00', '0.00', '0', '0'],
    ['idle', '–', '–', '–', '–', '–', '–', '0.00', '0.00', '0', '7'],
  ])
  const units = await page.locator('.fleet thead .unit').allInnerTexts()
  expect(units).toEqual(['m', '°C', '°C', '°C', '°C', 'h', 'h', 'count', 'count'])
  expect(await page.locator('.fleet tbody .spoken', { hasText: 'not known' }).count()).toBeGreaterThan(10)
})

test('headers sort, filters narrow down, and both are told', async () => {
  const { page } = await openDashboard(await filledService(fleetOfThree()), `#/day/${DAY}`)
  const first = () => page.locator('.fleet tbody:not(.spacer) th').first().textContent()
  expect(await page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Visitors' }).click()
  expect(await first()).toBe('idle')
  await page.getByRole('button', { name: 'Cooler', exact: true }).click()
  expect([await first(), await page.locator('[aria-sort]').getAttribute('aria-sort')]).toEqual(['cold', 'ascending'])
  await page.getByRole('button', { name: 'Mean temperature' }).click()
  expect(await first(), 'what is not known comes last').toBe('cold')
  await page.getByLabel('Filter by cooler').fill('ID')
  expect(await page.getByRole('status').textContent()).toBe('1 of 3 coolers')
  await page.getByLabel('Show').selectOption('More than 200 m off')
  expect(await page.getByRole('status').textContent()).toBe('No cooler matches.')
})

test('the day is saved as a file, with the key of whoever looks at it', async () => {
  const { keys, settings } = makeKeys({ reader: { scopes: ['read'] } })
  const { page } = await openDashboard(await filledService(fleetOfThree(), settings), `#/day/${DAY}`)
  await page.getByLabel('API key').fill(keys.reader)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'far' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`cooler-daily-${DAY}.csv`)
  const file = join(temporaryFolder(), 'saved.csv')
  await download.saveAs(file)
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^\uFEFFday,assertId,/)
  expect(text.trimEnd().split('\r\n')).toHaveLength(4)
})

test('of 5000 coolers only those that can be seen are in the page, and the last can be reached', async () => {
  const { page } = await openDashboard(await filledFleet(5000), `#/day/${FLEET_DAY}`, { viewport: PHONE })
  const table = page.locator('.fleet')
  expect(await table.getAttribute('aria-rowcount')).toBe('5001')
  expect(await page.locator('.fleet tbody:not(.spacer) tr').count()).toBeLessThan(60)
  await page.getByRole('region', { name: /Table of coolers/ }).focus()
  await page.getByRole('button', { name: 'Cooler', exact: true }).click()
  await page.getByRole('region', { name: /Table of coolers/ }).press('End')
  await eventually(() => page.getByRole('link', { name: LAST }).count()).toBe(1)
  expect(await page.getByRole('row', { name: LAST }).getAttribute('aria-rowindex')).toBe('5001')
  expect(await page.locator('.fleet tbody:not(.spacer) tr').count()).toBeLessThan(60)
})

test('another day is chosen by field and buttons, and is the same date wherever the viewer is', async () => {
  const service = await filledService(manyVisitors(3))
  const { page, url } = await openDashboard(service, `#/day/${DAY}`, { timezoneId: 'Pacific/Pago_Pago' })
  expect(await page.locator('h1').textContent()).toBe('Fleet on Sunday, 1 June 2025')
  expect(await page.locator('#day').inputValue()).toBe('2025-06-01')
  await page.getByRole('button', { name: 'Day after' }).click()
  await eventually(() => page.url()).toBe(`${url}/#/day/20250602`)
  await page.locator('#day').fill('2024-02-29')
  await page.locator('#day').press('Enter')
  await eventually(() => page.title()).toMatch(/29 February 2024/)
  await page.goBack()
  await eventually(() => page.locator('h1').textContent()).toBe('Fleet on Monday, 2 June 2025')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
})

function fleetOfThree(): object[] {
  const at = (minute: number): string => `2025-06-01T12:${String(minute).padStart(2, '0')}:00Z`
  return [
    { deviceId: 'far', at: '2025-05-01T00:00:00Z', type: 'placement', lat: 52, lon: 13 },
    { deviceId: 'far', at: at(0), type: 'gps', lat: 52.01, lon: 13 },
    { deviceId: 'idle', at: at(0), type: 'visitor', count: 7 },
    { deviceId: 'cold', at: at(0), type: 'temperature', celsius: -2.5, setpoint: -1.5 },
    { deviceId: 'cold', at: at(1), type: 'temperature', celsius: 0.5 },
  ]
}
