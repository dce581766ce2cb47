import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Cooler, Running } from '../cli/cooler.ts'

/** A process that is started again whenever it ends, until its supervisor closes. */
export interface Supervised {
  name: string
  /** The store that it opens; null for a bridge to a queue. */
  store: string | null
  kill(signal: NodeJS.Signals): void
  starts(): number
  /** Whether the one that runs has a file open. */
  hasOpen(file: string): boolean
  isRunning(): boolean
  /** Resolves when the one that runs, or ran last, has ended. */
  ended(): Promise<unknown>
  /** What the last of them has written to its standard error, cut. */
  lastWords(): string
}

/** Starts processes, and starts them again. */
export interface Supervisor {
  supervise(name: string, args: readonly string[], env: NodeJS.ProcessEnv, within?: readonly string[]): Supervised
  /** From now on nothing is killed, and what ends is not started again until the function that it gives is called. */
  hold(): () => void
  isHeld(): boolean
  /** Ends all processes, and starts none again. */
  close(): Promise<void>
}

/** Supervises processes of the command line. */
export function supervisorOf(program: Cooler): Supervisor {
  let closing = false
  const running = new Set<Running>()
  let held: Promise<void> | null = null
  // Where the test fails half-way its processes are ended, and must not be started again.
  onTestFinished(() => {
    closing = true
  })
  return {
    supervise(name, args, env, within) {
      let current: Running
      let starts = 0
      const start = (): void => {
        starts++
        current = program.spawn(args, env, within)
        running.add(current)
        void current.outcome.then(async () => {
          running.delete(current)
          await held
          if (!closing) start()
        })
      }
      start()
      return {
        name,
        store: args[0] === 'bridge' && env.REDIS_URL !== undefined ? null : (env.COOLER_STORE ?? null),
        kill: (signal) => void current.child.kill(signal),
        starts: () => starts,
        hasOpen: (file) => running.has(current) && openFiles(current.child.pid).includes(file),
        isRunning: () => running.has(current),
        ended: () => current.outcome,
        lastWords: () => current.stderr().slice(-2000),
      }
    },
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        held = null
        release()
      }
    },
    isHeld: () => held !== null,
    async close() {
      closing = true
      const outcomes = [...running].map(({ child, outcome }) => {
        child.kill('SIGTERM')
        child.kill('SIGCONT') // One that stands still takes no other signal.
        return outcome
      })
      await Promise.all(outcomes)
    },
  }
}

/** The files that a process has open; none where it has ended. */
function openFiles(pid: number | undefined): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => readLink(join(folder, name)))
  } catch {
    return []
  }
}

function readLink(path: string): string[] {
  try {
    return [readlinkSync(path)]
  } catch {
    return [] // Closed meanwhile.
  }
}
