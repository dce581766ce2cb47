import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary-store.ts'

/** A place where files cannot grow beyond a few MiB, until room is made. */
export interface SmallDisk {
  folder: string
  /** To be called with the process that writes there, as soon as it runs. */
  confine(child: ChildProcess): void
  makeRoom(child: ChildProcess): void
}

const SMALL_BYTES = 3 * 2 ** 20

/** A file system of its own where this process may mount one; else a limit on the size of the files of the process. */
export function smallDisk(): SmallDisk {
  const folder = temporaryFolder()
  const mount = ['-t', 'tmpfs', '-o', `size=${SMALL_BYTES}`, 'tmpfs', folder]
  if (spawnSync('mount', mount, { stdio: 'ignore' }).status === 0) {
    onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
    return {
      folder,
      confine: () => {}, // The file system itself is small.
      makeRoom: () => void execFileSync('mount', ['-o', `remount,size=${SMALL_BYTES * 100}`, folder]),
    }
  }
  const limit = ({ pid }: ChildProcess, size: string): void => {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`])
  }
  return {
    folder,
    confine: (child) => limit(child, String(SMALL_BYTES)),
    makeRoom: (child) => limit(child, 'unlimited'),
  }
}
