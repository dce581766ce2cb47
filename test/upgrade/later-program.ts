import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../helpers/temporary-store.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Makes a copy of the built program that differs from it as a later version does: by further migrations of a store in
 * PostgreSQL. Returns the path of its command line.
 */
export function laterProgram(migrations: readonly string[]): string {
  const folder = temporaryFolder()
  for (const part of ['dist', 'schema', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const schemas = join(folder, 'schema/postgres')
  const last = presentSchema()
  for (const [nth, sql] of migrations.entries()) {
    writeFileSync(join(schemas, `${String(last + nth + 1).padStart(3, '0')}-later.sql`), sql)
  }
  return join(folder, 'dist/src/cli.js')
}

/** The newest migration that the present program knows. */
export const presentSchema = (): number =>
  readdirSync(join(ROOT, 'schema/postgres')).filter((name) => name.endsWith('.sql')).length
