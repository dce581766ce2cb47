import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { pgbouncerProgram, postgresFolder } from './postgres-programs.ts'

/** A program that tests need, and the Debian packages that bring it. */
export interface Needed {
  isThere: () => boolean
  packages: readonly string[]
}

/** Whether it is there; installs it where it is not and this is root on Debian. */
export function isInstalled({ isThere, packages }: Needed): boolean {
  if (isThere()) return true
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'ignore' })
  }
  return isThere()
}

const answers = (program: string, argument: string): boolean =>
  spawnSync(program, [argument], { stdio: 'ignore' }).error === undefined

export const REDIS: Needed = { isThere: () => answers('redis-server', '--version'), packages: ['redis-server'] }
export const MOSQUITTO: Needed = { isThere: () => answers('mosquitto', '-h'), packages: ['mosquitto'] }

export const chromiumPath = (): string => process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
export const CHROMIUM: Needed = { isThere: () => existsSync(chromiumPath()), packages: ['chromium'] }

/** Its package also starts a server of its own on Debian. No test uses that one. */
export const POSTGRES: Needed = { isThere: () => postgresFolder() !== undefined, packages: ['postgresql'] }
export const PGBOUNCER: Needed = { isThere: () => answers(pgbouncerProgram(), '--version'), packages: ['pgbouncer'] }
