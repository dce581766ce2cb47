import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** package.json lies at the project's root, beside src/ and dist/. */
function packageFile(): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))
  return `${root}/package.json`
}

let version: string | undefined

/** Name and version of this product, such as `cooler-reports 0.1.0`. */
export function productVersion(): string {
  version ??= JSON.parse(readFileSync(packageFile(), 'utf8')).version as string
  return `cooler-reports ${version}`
}
