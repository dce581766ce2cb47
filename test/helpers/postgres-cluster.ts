import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { loopbackPort } from './loopback-port.ts'
import { createDatabase, dropDatabase } from './postgres-database.ts'
import { postgresProgram } from './postgres-programs.ts'
import { freezeFamily, killFamily, wakeFamily } from './process-family.ts'
import { type ProcessGuard, startGuard } from './process-guard.ts'
import { unprivilegedFolder, unprivilegedUser } from './unprivileged.ts'

/** The superuser of every server. It needs no password. */
export const SUPERUSER = 'cooler'

const READY_POLL_MS = 5

/** A PostgreSQL server of our own. */
export interface PostgresServer {
  /** TCP port of 127.0.0.1. It stays the same over restarts. */
  readonly port: number
  /** Has the unix socket, the file `log` and the data folder `data`. */
  readonly folder: string
  /** URL of a database over TCP as the superuser; of the maintenance database `postgres` by default. */
  url(database?: string): string
  /** Creates a database with a name of its own and returns its URL. Nobody may be connected to the template. */
  newDatabase(template?: string): Promise<string>
  /** Drops the database of the URL and ends the sessions that use it. */
  dropDatabase(url: string): Promise<void>
  /**
   * Ends the server: SIGINT rolls back and shuts down, SIGQUIT leaves recovery to the next start, SIGKILL hits all its
   * processes at once, as when a machine loses power. Resolves when all of them have ended.
   */
  kill(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  /** SIGSTOP to all processes: connections stay open and are accepted, but nothing answers until `wake`. */
  freeze(): void
  wake(): void
  /** Starts the server again with its data, on the same port and socket; shuts it down before if it runs. */
  restart(): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

/** Starts a server on data that `fill` puts into the data folder, as user `unprivilegedUser`. */
export async function startCluster(
  fill: (data: string) => Promise<void>,
  parent: string | undefined,
): Promise<PostgresServer> {
  const folder = unprivilegedFolder('cooler-postgres-', parent)
  const guard = startGuard(folder)
  try {
    await fill(join(folder, 'data'))
    const server = serverOn(folder, await loopbackPort(), guard)
    await server.restart()
    return server
  } catch (error) {
    await guard.end()
    throw error
  }
}

function serverOn(folder: string, port: number, guard: ProcessGuard): PostgresServer {
  let child: ChildProcess | undefined
  let closed: Promise<unknown> = Promise.resolve()
  const pid = (): number | undefined => (child?.exitCode === null && child.signalCode === null ? child.pid : undefined)
  const family = (act: (pid: number) => void): void => {
    const running = pid()
    if (running !== undefined) act(running)
  }
  const url = (database = 'postgres'): string => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`
  const kill: PostgresServer['kill'] = async (signal) => {
    if (signal === 'SIGKILL') family(killFamily)
    else {
      family((running) => process.kill(running, signal))
      family(wakeFamily) // A frozen process takes no other signal than SIGKILL.
    }
    await closed
  }
  return {
    port,
    folder,
    url,
    newDatabase: (template) => createDatabase(url(), template),
    dropDatabase,
    kill,
    freeze: () => family(freezeFamily),
    wake: () => family(wakeFamily),
    async restart() {
      await kill('SIGINT')
      child = spawnServer(folder, port)
      closed = once(child, 'close')
      closed.catch(() => {}) // A server that cannot be spawned is reported below.
      await once(child, 'spawn')
      guard.watch(child)
      await isReady(child, folder)
    },
    async stop() {
      await guard.end()
      await closed
    },
  }
}

/** The last pipe is there to be inherited: only when all processes of the server have ended does the child close. */
function spawnServer(folder: string, port: number): ChildProcess {
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openSync(join(folder, 'log'), 'a')
  try {
    const child = spawn(postgresProgram('postgres'), ['-D', join(folder, 'data'), ...args], {
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

/** Waits until the server says in its lock file that it takes connections, as pg_ctl does. */
async function isReady(child: ChildProcess, folder: string): Promise<void> {
  for (;;) {
    const lines = readIfThere(join(folder, 'data', 'postmaster.pid')).split('\n')
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`PostgreSQL did not start: ${readIfThere(join(folder, 'log')).slice(-2000)}`)
    }
    await setTimeout(READY_POLL_MS)
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // Not yet written, or already removed.
  }
}
