import Database from 'better-sqlite3'

interface SchemaRow {
  type: string
  name: string
  sql: string
}

/** The text of schema/sqlite/schema.sql: all that a store has, by type and name, and the version of its schema. */
export function renderSchema(storeFile: string): string {
  const database = new Database(storeFile, { readonly: true })
  try {
    const rows = database
      .prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name')
      .all() as SchemaRow[]
    const own = rows.filter(({ name }) => !name.startsWith('sqlite_'))
    const version = database.pragma('user_version', { simple: true })
    const title = `-- The newest schema (version ${version}), as a fresh store has it. Written by test/schema.test.ts.`
    return `${[title, ...own.map(({ sql }) => `${sql};`)].join('\n\n')}\n`
  } finally {
    database.close()
  }
}
