import { join } from 'node:path'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { type Settings, type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'
import { type OnEnd, temporaryFolder } from '../helpers/temporary-store.ts'

/** The browser's contexts by their options, for all tests of this process: making one takes longer than a page. */
const contexts = new Map<string, Promise<BrowserContext>>()

export const PHONE = { width: 390, height: 844 }
export const DESK = { width: 1280, height: 800 }
/** For tests that take long on a busy machine. */
export const LONG = { timeout: 180_000 }
/** Widths and heights of the screens that people have. */
export const SIZES = [
  [1440, 900],
  [1366, 640],
  [1024, 600],
  [390, 844],
] as const

export interface Dashboard {
  page: Page
  service: TemporaryService
  url: string
  /** Opens a view by its address, without loading the page anew. */
  go(hash: string): Promise<void>
}

/** Where the store of a test is: in a file, or in a PostgreSQL database if TEST_ENGINE says so. */
export const storeLocation = async (onEnd: OnEnd = onTestFinished): Promise<string> =>
  process.env.TEST_ENGINE === 'postgres' ? temporaryDatabase(onEnd) : join(temporaryFolder(onEnd), 'store.sqlite')

/** A service that answers on a port, with events that are landed and rolled up, past the API. */
export async function filledService(
  events: readonly unknown[],
  settings: Settings = {},
  onEnd: OnEnd = onTestFinished,
): Promise<TemporaryService> {
  const location = await storeLocation(onEnd)
  const service = await temporaryService({ api: true, work: false }, { COOLER_STORE: location, ...settings }, onEnd)
  if (events.length > 0) await service.intake.accept({ events })
  await service.pipeline.runner.run({ now: Date.now(), refresh: true })
  return service
}

/** A service for all tests of a file, which change nothing of it, made once. Returns a function that returns it. */
export function sharedService(make: (onEnd: OnEnd) => Promise<TemporaryService>): () => TemporaryService {
  let service: TemporaryService
  const ends: Parameters<OnEnd>[0][] = []
  beforeAll(async () => {
    service = await make((end) => ends.unshift(end))
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => service
}

/**
 * A page of a service, and what it has asked for. What the browser complains of, a breach of the page's policy above all,
 * fails the test, as does a request to another origin than the service and its tile server. Keys that a page keeps are of its tab; what it keeps longer is forgotten when the test ends.
 */
export async function openPage(
  { url, config }: TemporaryService,
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; asked: string[] }> {
  const context = await contextWith({ locale: 'en-GB', viewport: DESK, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  onTestFinished(async () => {
    await page.evaluate('localStorage.clear()')
    await page.close()
  })
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
  const origins = [url, config.mapTiles === null ? null : new URL(config.mapTiles.template).origin]
  const isAway = (address: string): boolean => /^(http|ws)/.test(address) && !origins.includes(new URL(address).origin)
  onTestFinished(() => expect(asked.filter(isAway)).toEqual([]))
  await page.goto(`${url}${path}`)
  return { page, asked }
}

function contextWith(options: BrowserContextOptions): Promise<BrowserContext> {
  const key = JSON.stringify(options)
  const context =
    contexts.get(key) ?? chromium.connect(inject('chromium')).then((browser) => browser.newContext(options))
  contexts.set(key, context)
  return context
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
