import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { installPackage } from './install-package.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the Chromium that all tests share is reached; each has contexts of its own there. */
    chromium: string
  }
}

/** Starts the browser of the tests: a real Chromium, without a window. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  installPackage({
    isThere: () => existsSync(executablePath),
    packages: ['chromium'],
    otherwise: 'the tests of the dashboard need Chromium: install it, and say its path in CHROMIUM_PATH',
  })
  // Its sandbox would need rights that a container seldom has; it is shown nothing but our own pages.
  const server = await chromium.launchServer({ executablePath, args: ['--no-sandbox'] })
  project.provide('chromium', server.wsEndpoint())
  return () => server.close()
}
