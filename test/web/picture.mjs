// npm run picture: takes the picture of the dashboard that the README shows, of a made-up fleet. Needs a Chromium, as the
// tests of the dashboard do, and what `npm run build` makes.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { chromium } from 'playwright-core'
import { readConfig } from '../../dist/src/config/config.js'
import { startService } from '../../dist/src/service/service.js'
import { simulateFleet } from '../../dist/src/simulate/fleet.js'

/** Beside what it shows. */
const PICTURE = fileURLToPath(new URL('../../src/web/dashboard/dashboard.webp', import.meta.url))
/** Of the past, and always the same: the picture changes only where the dashboard does. */
const FLEET = { devices: 240, startDay: 20261109, days: 8, seed: 4, faults: true }
const SHOWN_DAY = 20261115
const BATCH_EVENTS = 10_000

const folder = mkdtempSync(join(tmpdir(), 'cooler-picture-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const settings = { COOLER_STORE: join(folder, 'store.sqlite'), COOLER_RAW_RETENTION_DAYS: '0', PORT: '0' }
const logger = pino({ level: 'silent' })
const service = await startService({ config: readConfig(settings, {}), logger, api: true, work: false })
const events = [...simulateFleet(FLEET)]
for (let start = 0; start < events.length; start += BATCH_EVENTS) {
  await service.intake.accept({ events: events.slice(start, start + BATCH_EVENTS) })
}
await service.pipeline.runner.run({ now: Date.now(), refresh: true })

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
// As high as whole rows of the table are.
const viewport = { width: 1280, height: 701 }
const page = await browser.newPage({ locale: 'en-GB', colorScheme: 'light', viewport })
await page.goto(`${service.url}/#/day/${SHOWN_DAY}`)
await page.locator('.fleet tbody:not(.spacer) tr').first().waitFor()
await page.locator('[aria-busy]').waitFor({ state: 'detached' })
// A PNG is half as large again, and a JPEG as large as this has shadows around its letters.
await page.screenshot({ path: PICTURE, type: 'webp', quality: 90 })
console.log(`${PICTURE}: ${statSync(PICTURE).size} bytes`)
await browser.close()
await service.close()
