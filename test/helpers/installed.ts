import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Installs the Debian package of a program that tests need, where it is missing and this is root on Debian.
 *
 * @throws Error of one line where it is not there then
 */
export function installed(program: string, debianPackage: string, versionArgument = '--version'): void {
  const isThere = (): boolean => spawnSync(program, [versionArgument], { stdio: 'ignore' }).error === undefined
  if (isThere()) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', debianPackage], { stdio: 'ignore' })
  }
  if (!isThere()) throw new Error(`these tests need ${program} on the PATH: install ${debianPackage}`)
}
