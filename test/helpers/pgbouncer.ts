import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loopbackPort } from './loopback-port.ts'
import { type PostgresServer, SUPERUSER } from './postgres-cluster.ts'
import { pgbouncerProgram } from './postgres-programs.ts'
import { startGuard } from './process-guard.ts'
import { unprivilegedFolder } from './unprivileged.ts'
import { readIfThere, startUnprivileged, untilReady } from './unprivileged-process.ts'

export interface PgBouncer {
  /** URL of a database of the server through the pool; `pgbouncer` is the database of its own SHOW commands. */
  url(database?: string): string
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

export interface PgBouncerOptions {
  poolMode?: 'session' | 'transaction' | 'statement'
  /** Most connections to the server for each database. */
  poolSize?: number
  /** Further settings of its section [pgbouncer]. */
  settings?: Readonly<Record<string, string | number>>
}

/** Starts a PgBouncer on a free port of 127.0.0.1 that pools connections to all databases of a server. */
export async function startPgBouncer(server: PostgresServer, options: PgBouncerOptions = {}): Promise<PgBouncer> {
  const port = await loopbackPort()
  const folder = unprivilegedFolder('cooler-pgbouncer-', dirname(server.folder))
  const guard = startGuard(folder)
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(config, configuration(server, folder, port, options))
  writeFileSync(join(folder, 'users'), `"${SUPERUSER}" ""\n`)
  const child = startUnprivileged(pgbouncerProgram(), [config], folder)
  const closed = once(child, 'close')
  const stop = async (): Promise<void> => {
    await guard.end()
    await closed
  }
  guard.watch(child)
  try {
    await untilReady(child, folder, () => readIfThere(join(folder, 'log')).includes('process up'))
  } catch (error) {
    await stop()
    throw error
  }
  return { url: (database = 'postgres') => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`, stop }
}

function configuration(server: PostgresServer, folder: string, port: number, options: PgBouncerOptions): string {
  const { poolMode = 'transaction', poolSize = 20, settings = {} } = options
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: folder,
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    admin_users: SUPERUSER,
    pool_mode: poolMode,
    default_pool_size: poolSize,
    max_client_conn: 1000,
    ignore_startup_parameters: 'extra_float_digits',
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  return ['[databases]', `* = host=127.0.0.1 port=${server.port}`, '[pgbouncer]', ...lines, ''].join('\n')
}
