import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A program that the tests need, and the Debian packages that bring it. */
export interface Needed {
  isThere: () => boolean
  packages: readonly string[]
  /** What to do where it can not be installed here. */
  otherwise: string
}

/** @throws Error of one line where a program is not there and cannot be installed here */
export function installPackage({ isThere, packages, otherwise }: Needed): void {
  if (isThere()) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { stdio: 'ignore' })
  }
  if (!isThere()) throw new Error(otherwise)
}
