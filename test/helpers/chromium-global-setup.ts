import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { chromiumPath } from './install-package.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium that all tests share is reached; each has contexts of its own there. */
    chromium: string
  }
}

/** Starts the browser of the tests: a real Chromium, without a window. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Its sandbox would need rights that a container seldom has; it is shown nothing but our own pages.
  const server = await chromium.launchServer({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
