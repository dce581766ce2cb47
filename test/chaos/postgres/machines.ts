import { onTestFinished } from 'vitest'
import { withClient } from '../../helpers/postgres-database.ts'
import { type PostgresServer, startPostgresServer } from '../../helpers/postgres-server.ts'
import { type PostgresStandby, startStandby } from '../../helpers/postgres-standby.ts'
import { type Link, openLink } from './link.ts'

/** A primary, its synchronous standby, and the links by which processes reach the two. */
export interface Cluster {
  /** The URL of a database for a process at an address of this machine, which has links of its own. */
  locationFor(database: string, address?: string): Promise<{ location: string; links: readonly [Link, Link] }>
  /** When a standby was promoted and took writes, epoch ms. */
  promotions: number[]
  primary(): PostgresServer
  /** Ends the primary as if its machine lost power, promotes the standby, and gives it a standby of its own. */
  failOver(): Promise<void>
  /** The same, but connections to the primary stay open and nothing answers, as behind a network that is gone. */
  failOverSilently(untilResumed: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

/** Starts both servers and databases of these names. */
export async function startMachines(databases: readonly string[]): Promise<Cluster> {
  let primary = await startPostgresServer({ settings: { max_connections: 300 } })
  const servers: PostgresServer[] = [primary]
  onTestFinished(async () => {
    for (const server of servers) await server.stop().catch(() => {})
  })
  for (const name of databases) await withClient(primary.url(), (client) => client.query(`CREATE DATABASE ${name}`))
  let standby: PostgresStandby = await startStandby(primary, { synchronous: true })
  servers.push(standby)
  const all: (readonly [Link, Link])[] = []
  const promotions: number[] = []
  const promote = async (before: () => Promise<void>): Promise<void> => {
    const [dead, next] = [primary, standby]
    await next.promote()
    promotions.push(Date.now())
    await before()
    primary = next
    standby = await startStandby(next, { synchronous: true })
    servers.push(standby)
    // The machine of the dead one comes back as the standby, at its address.
    for (const link of all.flat()) if (link.target() === dead.port) link.lead(standby.port)
    await dead.kill('SIGKILL')
    await dead.stop()
  }
  return {
    primary: () => primary,
    promotions,
    async locationFor(database, address = '127.0.0.1') {
      const links = [await openLink(primary.port, address), await openLink(standby.port, address)] as const
      all.push(links)
      const hosts = links.map(({ port }) => `${address}:${port}`).join(',')
      return { location: `postgres://cooler@${hosts}/${database}`, links }
    },
    async failOver() {
      await primary.kill('SIGKILL')
      await promote(async () => {})
    },
    async failOverSilently(untilResumed) {
      primary.freeze()
      await promote(untilResumed)
    },
    async stop() {
      for (const pair of all) for (const link of pair) link.close()
      for (const server of servers) await server.stop().catch(() => {})
    },
  }
}
