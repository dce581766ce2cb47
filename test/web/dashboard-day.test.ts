import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DAY, visitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { filledService, LONG, openDashboard, PHONE, SIZES, sharedService } from './dashboard-fixture.ts'
import { FLEET_DAY, filledFleet } from './dashboard-fleet.ts'
import { makeKeys } from './keyed-app.ts'

const LAST = 'CLR-001099'
/** More coolers than one call gives, and three that differ. */
const large = sharedService((onEnd) => filledFleet(1100, onEnd))
const three = sharedService((onEnd) => filledService(fleetOfThree(), {}, onEnd))
/** A sheet of the narrower paper, on its side, within its margins. */
const LETTER = { width: 995, height: 755 }
const WIDE = { viewport: { width: 2200, height: 900 } }
/** When each of three coolers was heard last, and that no address of it is known. */
const HEARD = [expect.stringMatching(/^1 Jun 2025, 12:0[01]:00 UTC$/)]

const rowsOf = async (page: Page): Promise<string[][]> => {
  const rows = await page.locator('.fleet tbody:not(.spacer) tr').allInnerTexts()
  return rows.map((row) => row.split(/\s*\t\s*/).map((cell) => cell.replace(/\n.*/s, '').trim()))
}
const firstRow = (page: Page) => page.locator('.fleet tbody:not(.spacer) th').first().textContent()
const status = (page: Page) => page.getByRole('status').textContent()

test('the fleet on a day tells each figure with its unit, those with exceptions first, and what is not known', async () => {
  const { page } = await openDashboard(three(), `#/day/${DAY}`, WIDE)
  expect(await page.title()).toBe('Fleet on Sunday, 1 June 2025 – Cooler reports')
  const noPower = ['no power data', 'settled', ...HEARD]
  expect(await rowsOf(page)).toEqual([
    ['far', 'moved', 'settled', ...HEARD, '–', '–', '–', '–', '0.00', '0.00', '0', '0', '1,111.95', '0.00', '24.00'],
    ['cold', ...noPower, '–', '-1.00', '0.50', '-2.50', '0.00', '0.00', '0', '0', '–', '0.00', '24.00'],
    ['idle', ...noPower, '–', '–', '–', '–', '0.00', '0.00', '0', '7', '–', '0.00', '24.00'],
  ])
  const units = await page.locator('.fleet thead .unit').allInnerTexts()
  expect(units).toEqual(['°C', '°C', '°C', 'h', 'h', 'count', 'count', 'm', 'h', 'h'])
  expect(await page.locator('.fleet tbody .spoken', { hasText: 'not known' }).count()).toBeGreaterThan(10)
})

test('silence, off and unknown are told apart, and a day of which nothing is known has no figures', async () => {
  const hour = (day: number, time: number): string => `2025-06-0${day}T${String(time).padStart(2, '0')}:00:00Z`
  const power = (deviceId: string, at: string, on: boolean) => ({ deviceId, at, type: 'power', on })
  const events = [
    power('silent', hour(1, 1), true),
    power('off', hour(3, 1), false),
    visitors('unknown', 1, Date.parse(hour(3, 1))),
    power('runs', hour(3, 0), true),
    power('runs', hour(3, 23), true),
  ]
  const { page } = await openDashboard(await filledService(events), '#/day/20250603?sort=id&order=asc', WIDE)
  const exceptions = Object.fromEntries((await rowsOf(page)).map(([id, found]) => [id, found]))
  expect(exceptions).toEqual({ off: 'off', runs: 'none', silent: 'silent', unknown: 'no power data' })
  for (const part of ['Off 1', 'Silent 1', 'No power data 1', 'Moved 0']) {
    await page.getByRole('button', { name: part, exact: true }).waitFor()
  }
  await page.evaluate("location.hash = '#/day/20990101'")
  await page.getByRole('button', { name: 'not known 4' }).waitFor()
  expect(new Set((await rowsOf(page)).flatMap((cells) => cells.slice(5))), 'what is not known is no 0').toEqual(
    new Set(['–']),
  )
})

test('headers sort, fields and totals filter, and the address keeps it all for a reload, back, and somebody else', async () => {
  const { page, url } = await openDashboard(three(), `#/day/${DAY}`)
  expect(await page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('button', { name: 'Visitors' }).click()
  await eventually(() => firstRow(page)).toBe('idle')
  await page.getByRole('button', { name: 'Cooler', exact: true }).click()
  await eventually(() => firstRow(page)).toBe('cold')
  expect(await page.locator('[aria-sort]').getAttribute('aria-sort')).toBe('ascending')
  await page.getByRole('button', { name: 'Mean temperature' }).click()
  await eventually(() => page.locator('[aria-sort=descending]').textContent()).toMatch(/Mean temperature/)
  expect(await firstRow(page), 'what is not known comes last').toBe('cold')
  await page.getByLabel('Cooler or address').fill('A')
  await eventually(() => status(page)).toBe('1 of 1 cooler')
  await page.getByLabel('Cooler or address').fill('')
  await eventually(() => status(page)).toBe('3 of 3 coolers')
  await page.getByRole('button', { name: 'Moved 1' }).focus()
  await page.keyboard.press('Enter')
  await eventually(() => status(page)).toBe('1 of 3 coolers')
  expect(await page.evaluate('document.activeElement.textContent'), 'the keyboard keeps its place').toBe('Moved1')
  expect(await page.getByRole('button', { name: 'Moved 1' }).getAttribute('aria-pressed')).toBe('true')
  const address = page.url()
  expect(address).toBe(`${url}/#/day/${DAY}?exception=moved&sort=currTemp&order=desc`)
  await page.reload()
  await eventually(() => status(page)).toBe('1 of 3 coolers')
  const other = await openDashboard(three(), address.slice(url.length + 1))
  expect((await rowsOf(other.page)).map(([id]) => id)).toEqual(['far'])
  await page.goBack()
  await eventually(() => status(page)).toBe('3 of 3 coolers')
  await page.getByRole('button', { name: 'Day after' }).click()
  await eventually(() => page.url()).toBe(`${url}/#/day/20250602?sort=currTemp&order=desc`)
})

test('columns are chosen, and kept in the address', async () => {
  const { page } = await openDashboard(three(), `#/day/${DAY}?columns=status+distance`)
  const heads = () =>
    page
      .locator('.fleet thead .name')
      .evaluateAll((names) =>
        names.map((name) => (name as { firstChild?: { textContent: string } }).firstChild?.textContent),
      )
  expect(await heads()).toEqual(['Cooler', 'Status', 'Deviation'])
  await page.getByText('Columns').click()
  await page.getByLabel('Visitors', { exact: true }).check()
  await eventually(heads).toEqual(['Cooler', 'Status', 'Visitors', 'Deviation'])
  expect(await page.getByLabel('Visitors', { exact: true }).isVisible(), 'more can be chosen').toBe(true)
  expect(page.url()).toMatch(/columns=status\+visitorCount\+distance$/)
})

test('a range has the figures of its days together, beside those of the days before, and a heat map', async () => {
  const on = (day: number) => Date.UTC(2025, 5, day, 12)
  const events = [visitors('a', 1, on(1)), visitors('a', 2, on(3)), visitors('a', 4, on(4)), visitors('b', 8, on(4))]
  const { page, url } = await openDashboard(await filledService(events), '#/day/20250604?sort=visitorCount')
  await page.getByRole('button', { name: 'Several days' }).click()
  await eventually(() => page.locator('h1').textContent()).toBe('Fleet from 29 May 2025 to 4 Jun 2025')
  await page.getByLabel('From', { exact: true }).fill('2025-06-03')
  await page.getByLabel('From', { exact: true }).press('Enter')
  await eventually(() => page.url()).toBe(`${url}/#/range/20250603/20250604?sort=visitorCount`)
  await page.getByText('before: 1 count').waitFor()
  expect(await page.locator('.together', { hasText: 'Visitors' }).textContent()).toContain('Visitors14 count')
  await page.getByLabel('Heat map of').selectOption('Visitors')
  const cells = () => page.locator('.fleet tbody:not(.spacer) td:has(.heat)').allTextContents()
  await eventually(cells).toEqual(['', '8', '2', '4'])
  expect(await page.locator('.heat-unknown').count()).toBe(1)
  await page.locator('.heat', { hasText: '8' }).click()
  await eventually(() => page.url()).toBe(`${url}/#/device/b/day/20250604`)
})

test('the list as it is filtered and sorted is saved as a file, with the key of whoever looks at it', async () => {
  const { keys, settings } = makeKeys({ reader: { scopes: ['read'] } })
  const { page } = await openDashboard(await filledService(fleetOfThree(), settings), `#/day/${DAY}`)
  await page.getByLabel('API key').fill(keys.reader)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Moved 1' }).click()
  await eventually(() => status(page)).toBe('1 of 3 coolers')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`cooler-fleet-${DAY}.csv`)
  const file = join(temporaryFolder(), 'saved.csv')
  await download.saveAs(file)
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(/^\uFEFF/)
  const rows = text.trimEnd().split('\r\n')
  expect([rows.length, rows[1].includes('far')]).toEqual([2, true])
})

test('of 1100 coolers only those that can be seen are in the page, and the last can be reached', async () => {
  const { page } = await openDashboard(large(), `#/day/${FLEET_DAY}`, { viewport: PHONE })
  const table = page.locator('.fleet')
  expect(await table.getAttribute('aria-rowcount')).toBe('1101')
  expect(await page.locator('.fleet tbody:not(.spacer) tr').count()).toBeLessThan(60)
  await page.getByRole('region', { name: /Table of coolers/ }).focus()
  await page.getByRole('button', { name: 'Cooler', exact: true }).click()
  await page.locator('.fleet-place:not([aria-busy])').waitFor()
  expect(await page.evaluate('document.activeElement.textContent'), 'the focus stays').toBe('Cooler')
  await page.getByRole('region', { name: /Table of coolers/ }).press('End')
  await eventually(() => page.getByRole('link', { name: LAST }).count()).toBe(1)
  expect(await page.getByRole('row', { name: LAST }).getAttribute('aria-rowindex')).toBe('1101')
  expect(await page.locator('.fleet tbody:not(.spacer) tr').count()).toBeLessThan(60)
})

test('another day is chosen by field and buttons, and is the same date wherever the viewer is', async () => {
  const { page, url } = await openDashboard(three(), `#/day/${DAY}`, { timezoneId: 'Pacific/Pago_Pago' })
  expect(await page.locator('h1').textContent()).toBe('Fleet on Sunday, 1 June 2025')
  expect(await page.locator('#day').inputValue()).toBe('2025-06-01')
  await page.getByRole('button', { name: 'Day after' }).click()
  await eventually(() => page.url()).toBe(`${url}/#/day/20250602`)
  await page.locator('#day').focus()
  await page.keyboard.type('02292024') // As people type it: each digit makes another date.
  expect(page.url()).toBe(`${url}/#/day/20250602`)
  await page.keyboard.press('Enter')
  await eventually(() => page.title()).toMatch(/29 February 2024/)
  await page.locator('#day').focus()
  await page.keyboard.type('0228')
  await page.getByRole('button', { name: 'Several days' }).focus()
  await eventually(() => page.title()).toMatch(/28 February 2024/)
  await page.goBack()
  await page.goBack()
  await eventually(() => page.locator('h1').textContent()).toBe('Fleet on Monday, 2 June 2025')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
})

test('all rows and columns are printed, also those that were never seen', LONG, async () => {
  const { page } = await openDashboard(large(), `#/day/${FLEET_DAY}?sort=id&order=asc`)
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize(LETTER)
  await page.evaluate(`addEventListener('beforeprint', () => {
    const rows = [...document.querySelectorAll('.fleet tbody:not(.spacer) tr')]
    const ids = new Set(rows.map((row) => row.cells[0].textContent))
    const cells = new Set(rows.map((row) => row.cells.length))
    window.printed = [rows.length, ids.size, cells.size]
  })`)
  const pdf = await page.pdf({ preferCSSPageSize: true })
  expect(await page.evaluate('window.printed'), 'rows, coolers, lengths of rows').toEqual([1100, 1100, 1])
  expect(await page.evaluate("document.querySelector('.fleet').scrollWidth")).toBeLessThanOrEqual(LETTER.width)
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length, 'about 50 rows on a page').toBeGreaterThan(15)
  await page.emulateMedia({ media: 'screen' })
  await eventually(() => page.locator('.fleet tbody:not(.spacer) tr').count()).toBeLessThan(60)
})

test('at every size all totals can be seen, and the table below them, also with a long id', async () => {
  const long = 'long-'.repeat(20)
  const events = [...fleetOfThree(), visitors(long, 1)]
  const { page } = await openDashboard(await filledService(events), `#/day/${DAY}`)
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    // Out of the window, or below something else.
    const unseen = await page.evaluate(`
      [...document.querySelectorAll('.parts button, .together > div, .fleet tbody th, .fleet tbody tr td:nth-child(2)')]
        .filter((part) => {
          part.scrollIntoView({ block: 'center', inline: 'center' })
          const { left, right, top, width, height } = part.getBoundingClientRect()
          const there = document.elementFromPoint(left + width / 2, top + height / 2)
          return width < 10 || left < 0 || right > innerWidth || !part.contains(there)
        })
        .map(({ textContent }) => textContent)`)
    expect(unseen, `at ${width}`).toEqual([])
  }
  expect(await page.getByRole('link', { name: long }).getAttribute('title')).toBe(long)
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
