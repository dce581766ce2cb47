import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { loopbackPort } from './loopback-port.ts'
import { createDatabase, dropDatabase } from './postgres-database.ts'
import { postgresProgram } from './postgres-programs.ts'
import { freezeFamily, killFamily, wakeFamily } from './process-family.ts'
import { type ProcessGuard, startGuard } from './process-guard.ts'
import { unprivilegedFolder } from './unprivileged.ts'
import { isRunning, readIfThere, startUnprivileged, untilReady } from './unprivileged-process.ts'

/** The superuser of every server. It needs no password. */
export const SUPERUSER = 'cooler'

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
  const family = (act: (pid: number) => void): void => {
    if (child?.pid !== undefined && isRunning(child)) act(child.pid)
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
      const started = spawnServer(folder, port)
      child = started
      closed = once(started, 'close')
      guard.watch(started)
      await untilReady(started, folder, () => takesConnections(started, folder))
    },
    async stop() {
      await kill('SIGQUIT') // Not SIGKILL, which leaves its children to a process 1 that may not wait for them.
      await guard.end()
    },
  }
}

function spawnServer(folder: string, port: number): ChildProcess {
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: folder }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return startUnprivileged(postgresProgram('postgres'), ['-D', join(folder, 'data'), ...args], folder)
}

/** Whether the server says in its lock file that it takes connections; pg_ctl asks in the same way. */
function takesConnections(child: ChildProcess, folder: string): boolean {
  const lines = readIfThere(join(folder, 'data', 'postmaster.pid')).split('\n')
  return lines[0] === String(child.pid) && lines[7]?.trim() === 'ready'
}
