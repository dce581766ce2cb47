import { readdirSync } from 'node:fs'
import pg from 'pg'
import { problemsOf, readSchema } from './sharded-sql.ts'
import { readText } from './source-files.ts'

const FOLDER = 'schema/postgres'

let problems: string[] | null = null

/**
 * Checks every statement that this process sends to PostgreSQL from now on (see sharded-sql.ts). Returns the list to which
 * problems are added.
 */
export function checkedStatements(): readonly string[] {
  if (problems !== null) return problems
  const found: string[] = []
  problems = found
  const files = readdirSync(new URL(`../../${FOLDER}`, import.meta.url)).map((name) => readText(`${FOLDER}/${name}`))
  const schema = readSchema(files.join('\n'))
  const checked = new Set<string>(files)
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const sql = sqlOf(given[0])
    if (sql.name !== undefined) found.push(`a named statement: ${sql.text}`)
    if (!checked.has(sql.text)) found.push(...problemsOf(sql.text, schema))
    checked.add(sql.text)
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  } as typeof query
  return found
}

/** The text of a statement, as `pg` takes it: as such, or in an object, such as one for COPY. */
function sqlOf(given: unknown): { text: string; name?: string } {
  if (typeof given === 'string') return { text: given }
  const { text, name } = given as { text: string; name?: string }
  return { text, ...(name === undefined ? {} : { name }) }
}
