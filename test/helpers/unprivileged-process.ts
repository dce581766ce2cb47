import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { unprivilegedUser } from './unprivileged.ts'

const READY_POLL_MS = 5

/** The contents of a file; empty if it does not exist. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // Not yet written, or already removed.
  }
}

/**
 * Starts a program as `unprivilegedUser` in a folder, where the file `log` gets all that it prints. Its children inherit
 * the last pipe, so its `close` event says that they have ended as well.
 */
export function startUnprivileged(program: string, args: readonly string[], folder: string): ChildProcess {
  const log = openSync(join(folder, 'log'), 'a')
  try {
    const child = spawn(program, args, {
      ...unprivilegedUser(),
      cwd: folder,
      detached: true, // Ctrl-C must not reach it.
      stdio: ['ignore', log, log, 'pipe'],
    })
    const inherited = child.stdio[3] as Readable
    inherited.resume()
    return child
  } finally {
    closeSync(log)
  }
}

/** Whether the process has not ended yet. */
export const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** Waits until the program is ready. Throws with the end of its log if it ends instead. */
export async function untilReady(child: ChildProcess, folder: string, isReady: () => boolean): Promise<void> {
  while (!isReady()) {
    if (!isRunning(child)) {
      throw new Error(`${child.spawnfile} did not start: ${readIfThere(join(folder, 'log')).slice(-2000)}`)
    }
    await setTimeout(READY_POLL_MS)
  }
}
