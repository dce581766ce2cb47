import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const mount = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' }).status === 0

const unmount = (folder: string): void => void execFileSync('umount', ['--lazy', folder])

/** Whether this process may mount a file system. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-mount-'))
  const isMounted = mount(folder)
  if (isMounted) unmount(folder)
  rmdirSync(folder)
  return isMounted
}

/** Mounts a small file system on a folder until the test ends; returns what gives it more room. */
export function mountSmallDisk(folder: string): (() => void) | null {
  if (!mount(folder)) return null
  onTestFinished(() => unmount(folder))
  return () => void execFileSync('mount', ['-o', `remount,size=${SMALL_BYTES * 100}`, folder])
}

/** A file system of its own where this process may mount one; else a limit on the size of the files of the process. */
export function smallDisk(): SmallDisk {
  const folder = temporaryFolder()
  const makeRoom = mountSmallDisk(folder)
  if (makeRoom !== null) return { folder, confine: () => {}, makeRoom } // The file system itself is small.
  const limit = ({ pid }: ChildProcess, size: string): void => {
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:`])
  }
  return {
    folder,
    confine: (child) => limit(child, String(SMALL_BYTES)),
    makeRoom: (child) => limit(child, 'unlimited'),
  }
}
