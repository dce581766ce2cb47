import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, inject, onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { type Settings, type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'

/** Of all tests of this process. */
let browser: Promise<Browser> | undefined

export const PHONE = { width: 390, height: 844 }
export const DESK = { width: 1280, height: 800 }

export interface Dashboard {
  page: Page
  service: TemporaryService
  url: string
  /** Opens a view by its address, without loading the page anew. */
  go(hash: string): Promise<void>
}

/** Where the store of a test is: in a file, or in a PostgreSQL database if TEST_ENGINE says so. */
export const storeLocation = async (): Promise<string> =>
  process.env.TEST_ENGINE === 'postgres' ? temporaryDatabase() : join(temporaryFolder(), 'store.sqlite')

/** A service that answers on a port, with events that are landed and rolled up, past the API. */
export async function filledService(events: readonly unknown[], settings: Settings = {}): Promise<TemporaryService> {
  const service = await temporaryService(
    { api: true, work: false },
    { COOLER_STORE: await storeLocation(), ...settings },
  )
  if (events.length > 0) await service.intake.accept({ events })
  await service.pipeline.runner.run({ now: Date.now(), refresh: true })
  return service
}

/**
 * A page of a service in a browser of its own, without network beyond the service, and what it has asked for. What the
 * browser complains of, a breach of the page's policy above all, fails the test.
 */
export async function openPage(
  { url }: TemporaryService,
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; asked: string[] }> {
  browser ??= chromium.connect(inject('chromium'))
  const context = await (await browser).newContext({
    locale: 'en-GB',
    viewport: DESK,
    reducedMotion: 'reduce',
    ...options,
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    // A refusal of the API is told by the browser, too: that it is shown is for the test to see.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text())
  })
  onTestFinished(() => expect(complaints).toEqual([]))
  await page.goto(`${url}${path}`)
  return { page, asked }
}

/** The dashboard of a service; see openPage. */
export async function openDashboard(
  service: TemporaryService,
  hash: string,
  options: BrowserContextOptions = {},
): Promise<Dashboard> {
  const { page } = await openPage(service, `/${hash}`, options)
  await loaded(page)
  return {
    page,
    service,
    url: service.url as string,
    async go(to) {
      const before = await page.title()
      await page.evaluate(`location.hash = ${JSON.stringify(to)}`)
      await eventually(() => page.title()).not.toBe(before)
      await loaded(page)
    },
  }
}

/** Resolves when a view is there and waits for nothing. */
export async function loaded(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.locator('[aria-busy]').waitFor({ state: 'detached' })
}
