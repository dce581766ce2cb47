import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type PostgresServer, startCluster } from './postgres-cluster.ts'
import { withClient } from './postgres-database.ts'
import { postgresProgram } from './postgres-programs.ts'
import { unprivilegedUser } from './unprivileged.ts'

export interface PostgresStandby extends PostgresServer {
  /** Makes it a primary; resolves when it takes writes. */
  promote(): Promise<void>
}

const STREAMING_POLL_MS = 10

/**
 * Starts a hot standby that streams from `primary`, in the primary's state. With `synchronous`, commits on the primary
 * wait until the standby has them on disk, from the moment this resolves on.
 */
export async function startStandby(primary: PostgresServer, { synchronous = false } = {}): Promise<PostgresStandby> {
  const name = `standby_${randomUUID().slice(0, 8)}`
  const standby = await startCluster(
    (data) => copyPrimary(`${primary.url()}?application_name=${name}`, data),
    dirname(primary.folder),
  )
  try {
    await streams(primary, name, synchronous)
  } catch (error) {
    await standby.stop()
    throw error
  }
  const promote = (): Promise<void> =>
    withClient(standby.url(), async (client) => void (await client.query('SELECT pg_promote()')))
  return { ...standby, promote }
}

/** The standby does not take over that commits wait for a standby: once promoted, it would wait for ever. */
async function copyPrimary(url: string, data: string): Promise<void> {
  const args = ['--no-sync', '--checkpoint=fast', '--write-recovery-conf', '-d', url, '-D', data]
  await promisify(execFile)(postgresProgram('pg_basebackup'), args, { ...unprivilegedUser(), cwd: dirname(data) })
  appendFileSync(join(data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n")
}

/** Waits until the standby streams and, with `synchronous`, until commits wait for it. */
function streams(primary: PostgresServer, name: string, synchronous: boolean): Promise<void> {
  const query = `SELECT FROM pg_stat_replication WHERE application_name = $1 AND state = 'streaming'
    AND (sync_state <> 'async' OR NOT $2)`
  return withClient(primary.url(), async (client) => {
    if (synchronous) {
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
      await client.query('SELECT pg_reload_conf()')
    }
    while ((await client.query(query, [name, synchronous])).rowCount === 0) await setTimeout(STREAMING_POLL_MS)
    // Commits do not wait before the checkpointer has read the new setting, which it does before a checkpoint.
    if (synchronous) await client.query('CHECKPOINT')
  })
}
