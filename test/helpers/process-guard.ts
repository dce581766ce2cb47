import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { unprivilegedUser } from './unprivileged.ts'

/** Ends a program and removes its folder, even if this process is killed with SIGKILL. */
export interface ProcessGuard {
  /** Has it guard this process from now on. */
  watch(child: ChildProcess): void
  /** Kills the process with all its children and removes the folder. */
  end(): Promise<void>
}

/**
 * Reads process ids, of which the last counts, until this process closes the pipe or the kernel does so after its death.
 * PostgreSQL's children are not in its process group. The process is stopped first, so that it cannot start more of
 * them meanwhile. Removal is repeated because a dying process may still create a file. A killed PostgreSQL leaves a
 * segment of shared memory, which only its owner may remove.
 */
const SCRIPT = `
folder=$1
shift
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -STOP "$pid"
  kill -KILL $(cat "/proc/$pid/task/$pid/children") "$pid"
fi
segment=$(sed -n '7s/.* //p' "$folder/data/postmaster.pid")
[ -z "$segment" ] || "$@" ipcrm -m "$segment"
for try in 1 2 3 4 5 6 7 8 9; do rm -rf "$folder" && break; done
`

/** Starts the guard of a folder. It is a process of its own, which outlives this one for a moment. */
export function startGuard(folder: string): ProcessGuard {
  const { uid, gid } = unprivilegedUser()
  const asOwner = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const guard = spawn('sh', ['-c', SCRIPT, 'guard', folder, ...asOwner], {
    detached: true, // Ctrl-C must not reach it.
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(guard, 'exit')
  return {
    watch(child) {
      guard.stdin.write(`${child.pid}\n`)
      child.once('exit', () => {
        if (guard.stdin.writable) guard.stdin.write('\n') // The number may soon belong to another process.
      })
    },
    async end() {
      guard.stdin.end()
      await ended
    },
  }
}
