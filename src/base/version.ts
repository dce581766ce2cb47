import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Returns the path of package.json in the project's root, which holds src/ and dist/. */
function packageFile(): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))
  return `${root}/package.json`
}

/** Version of this product, from its package.json. */
export const VERSION: string = JSON.parse(readFileSync(packageFile(), 'utf8')).version

/** Name and version of this product. */
export const PRODUCT = `cooler-reports ${VERSION}`
