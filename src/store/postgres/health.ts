import type { Health } from '../open-store.ts'
import type { Postgres } from './database.ts'
import { refuseNewerNow } from './guard.ts'
import { readServerState } from './server-state.ts'

/** Tells whether a store in PostgreSQL can be used. It is no file, so it cannot be moved away. */
export const healthOf = (database: Postgres): Health => ({
  identity: [],
  async measure() {
    const [{ bytes }] = await database.session.rows<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    )
    return { storeBytes: bytes, walBytes: 0, freeBytes: null }
  },
  server: () => readServerState(database.session),
  async origin() {
    const [{ origin }] = await database.session.rows<{ origin: string }>(
      `SELECT system_identifier || ' ' || pg_database.oid AS origin FROM pg_control_system()
       CROSS JOIN pg_database WHERE datname = current_database()`,
    )
    return origin
  },
  refuseNewer: () => refuseNewerNow(database.session),
  requirePresent: async () => {},
  requireUsable: () => refuseNewerNow(database.session),
})
