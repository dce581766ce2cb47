import { execFile } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type PostgresServer, SUPERUSER, startCluster } from './postgres-cluster.ts'
import { postgresProgram } from './postgres-programs.ts'
import { unprivilegedUser } from './unprivileged.ts'

export type { PostgresServer } from './postgres-cluster.ts'

export interface PostgresOptions {
  /** Whether a commit waits for the disk. By default nothing does. */
  durable?: boolean
  /** Further settings of postgresql.conf. */
  settings?: Readonly<Record<string, string | number>>
  /** Roles that need their password, which the test creates; everybody else needs none. */
  passwordRoles?: readonly string[]
  /** The folder in which the server's own folder is made. */
  parent?: string | undefined
}

const LOST_BY_A_CRASH = { fsync: 'off', full_page_writes: 'off' }

/** Starts a PostgreSQL server with an empty data folder, on a unix socket and a free port of 127.0.0.1. */
export function startPostgresServer(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { durable = false, settings, passwordRoles = [], parent } = options
  return startCluster(async (data) => {
    await initialize(data)
    const all = {
      max_connections: 200,
      dynamic_shared_memory_type: 'mmap', // In the data folder, which is removed after a crash as well.
      ...(durable ? {} : LOST_BY_A_CRASH),
      ...settings,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`)
    appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
    writeFileSync(join(data, 'pg_hba.conf'), accessRules(passwordRoles))
  }, parent)
}

/** Text is sorted as people do, as on most servers, so that a query that relies on the order of bytes has to say so. */
async function initialize(data: string): Promise<void> {
  const order = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  await promisify(execFile)(postgresProgram('initdb'), ['--no-sync', `--username=${SUPERUSER}`, ...order, '-D', data], {
    ...unprivilegedUser(),
    cwd: dirname(data),
  })
}

/** The first line that fits a connection counts. */
function accessRules(passwordRoles: readonly string[]): string {
  const rules = [
    ...passwordRoles.flatMap((role) => [
      `local all "${role}" scram-sha-256`,
      `host all "${role}" 127.0.0.1/32 scram-sha-256`,
    ]),
    'local all all trust',
    'host all all 127.0.0.1/32 trust',
    'local replication all trust',
    'host replication all 127.0.0.1/32 trust',
  ]
  return `${rules.join('\n')}\n`
}
