import { readdirSync, readFileSync } from 'node:fs'
import { PROJECT } from '../../base/project-folder.ts'

const FOLDER = `${PROJECT}/schema/sqlite`

let texts: string[] | undefined

/** Returns the SQL texts that lead from an empty file to the newest schema; the n-th leads to `user_version` n. */
export function migrations(): readonly string[] {
  texts ??= readdirSync(FOLDER)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8'))
  return texts
}

/** Returns the version of the newest schema, which this program writes. */
export const newestVersion = (): number => migrations().length
