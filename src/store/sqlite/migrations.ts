import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** schema/ lies at the project's root, next to src/ and dist/. */
function migrationsFolder(): string {
  const here = fileURLToPath(import.meta.url)
  const root = here.slice(0, here.lastIndexOf(here.endsWith('.ts') ? '/src/' : '/dist/src/'))
  return `${root}/schema/sqlite`
}

let texts: string[] | undefined

/** Returns the SQL texts that lead from an empty file to the newest schema; the n-th leads to `user_version` n. */
export function migrations(): readonly string[] {
  const folder = migrationsFolder()
  texts ??= readdirSync(folder)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
  return texts
}

/** Returns the version of the newest schema, which this program writes. */
export const newestVersion = (): number => migrations().length
