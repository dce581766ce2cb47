import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Debian keeps each version's programs in a folder of its own, none of which is on the PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'
const OLDEST_VERSION = 15

function debianFolders(): string[] {
  if (!existsSync(DEBIAN_FOLDER)) return []
  const newestFirst = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a))
  return newestFirst.map((version) => join(DEBIAN_FOLDER, version, 'bin'))
}

/** Links are followed, because the PATH may link to initdb without linking to the other programs. */
function foldersOnPath(): string[] {
  const programs = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'initdb'))
  return programs.filter((program) => existsSync(program)).map((program) => dirname(realpathSync(program)))
}

function isNewEnough(folder: string): boolean {
  const { stdout } = spawnSync(join(folder, 'initdb'), ['--version'], { encoding: 'utf8' })
  return Number(/\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= OLDEST_VERSION
}

/** The folder of the newest PostgreSQL that the tests can use; undefined if there is none. */
export const postgresFolder = (): string | undefined => [...debianFolders(), ...foldersOnPath()].find(isNewEnough)

let known: string | undefined

/** Path of a program of PostgreSQL, such as initdb. */
export function postgresProgram(name: string): string {
  known ??= postgresFolder()
  if (known === undefined) throw new Error(`PostgreSQL ${OLDEST_VERSION} or newer is not installed`)
  return join(known, name)
}

/** Path of PgBouncer. Debian keeps it in a folder that is seldom on the PATH of an ordinary user. */
export function pgbouncerProgram(): string {
  const program = '/usr/sbin/pgbouncer'
  return existsSync(program) ? program : 'pgbouncer'
}
