import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** package.json lies at the project's root, beside src/ and dist/. */
function packageFile(): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))
  return `${root}/package.json`
}

/** The version of this product, as its package.json has it. */
export const VERSION: string = JSON.parse(readFileSync(packageFile(), 'utf8')).version

/** Name and version of this product. */
export const PRODUCT = `cooler-reports ${VERSION}`
