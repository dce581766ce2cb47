import { CoolerError } from '../../base/errors.ts'
import { type Finding, fault, ok } from '../../base/finding.ts'
import {
  type DatabaseFacts,
  inspectStoreDatabase,
  inspectStoreServers,
  type ServerAnswer,
  shownLocation,
} from '../../store/open-store.ts'
import { LEAST_DAYS_AHEAD, MANY_DEAD_ROWS, OLD_TRANSACTION_SECONDS } from './database-limits.ts'
import { replicationFindings } from './replication-findings.ts'
import { mebibytes, type StoreCheck } from './store-findings.ts'

/** Clocks of machines that are kept by NTP differ by much less. */
const CLOCK_TOLERANCE_MS = 10_000
const MOST_NAMED = 3

const SEE_SESSIONS = 'grant its role pg_monitor'

/** Checks the servers of a store in PostgreSQL, and its database. Changes nothing, and touches no file. */
export async function checkDatabase(location: string): Promise<StoreCheck> {
  const connection = connectionFinding(await inspectStoreServers(location))
  if (connection.severity === 'failure') return { findings: [connection], isReadable: false }
  try {
    const facts = await inspectStoreDatabase(location)
    const [store, ...others] = factFindings(shownLocation(location), facts)
    return { findings: [store, connection, ...others], isReadable: isReadable(facts) }
  } catch (error) {
    if (!(error instanceof CoolerError)) throw error
    return { findings: [fault('store', 'failure', error.message, null), connection], isReadable: false }
  }
}

/** Returns what the facts of a database mean. @param name how the store may be shown */
export const factFindings = (name: string, facts: DatabaseFacts): Finding[] => [
  storeFinding(name, facts),
  rightsFinding(facts),
  ...replicationFindings(facts),
  transactionsFinding(facts),
  ...(facts.schema === null ? [] : [partitionsFinding(facts)]),
  deadRowsFinding(facts),
  compressionFinding(facts),
  checksumsFinding(facts),
  clockFinding(facts),
]

const isReadable = ({ schema }: DatabaseFacts): boolean =>
  schema !== null && schema.schema >= schema.newest && schema.oldestWriter <= schema.newest

function connectionFinding(answers: readonly ServerAnswer[]): Finding {
  const check = 'store connection'
  const primaries = answers.filter(({ role }) => role === 'primary')
  const problems = answers.flatMap(({ server, problem }) => (problem === null ? [] : [`${server}: ${problem.message}`]))
  const roles = answers.flatMap(({ server, role }) => (role === null ? [] : [`${server} is a ${role}`]))
  const message = [...roles, ...problems].join('; ')
  if (new Set(primaries.map(({ startedAt }) => startedAt)).size > 1)
    return fault(check, 'failure', message, 'stop the primary that was replaced: what lands on it is lost')
  if (primaries.length === 0) {
    const advice =
      problems.length === answers.length ? 'start the server, or correct COOLER_STORE' : 'name the primary, too'
    return fault(check, 'failure', message, advice)
  }
  if (problems.length === 0) return ok(check, message)
  return fault(check, 'warning', message, 'start that server: without it there is nobody to take over')
}

function storeFinding(name: string, { server, bytes, schema }: DatabaseFacts): Finding {
  const check = 'store'
  const message = `${name}: PostgreSQL ${server}`
  if (schema === null)
    return ok(check, `${message}; the store is not there yet: the first service or command that writes makes it`)
  const found = `${message}, schema ${schema.schema}, ${mebibytes(bytes)} MiB`
  const known = `this program knows schemas up to ${schema.newest}`
  if (schema.oldestWriter > schema.newest) return fault(check, 'failure', `${found}; ${known}`, 'use the newer program')
  if (schema.schema > schema.newest)
    return fault(check, 'warning', `${found}; ${known}, and may still be used`, 'use the newer program everywhere soon')
  if (schema.schema === schema.newest) return ok(check, found)
  return fault(
    check,
    'warning',
    `${found}; the next start brings it to ${schema.newest}`,
    'make sure that point-in-time recovery works first',
  )
}

function rightsFinding({ rights: { role, schema, mayCreate, foreignTables } }: DatabaseFacts): Finding {
  const check = 'store rights'
  if (schema === null) {
    const message = `${role} may use no schema of the database`
    return fault(check, 'failure', message, `make ${role} the owner of the database or of a schema in its search_path`)
  }
  if (!mayCreate) {
    const message = `${role} may not create tables in the schema ${schema}: neither a store nor partitions of new weeks`
    return fault(check, 'failure', message, `grant it CREATE on the schema ${schema}`)
  }
  if (foreignTables.length > 0) {
    const named = foreignTables.slice(0, MOST_NAMED).join(', ')
    const message = `${foreignTables.length} tables belong to another role (${named}): ${role} cannot add partitions`
    return fault(check, 'failure', message, `make ${role} their owner, or a member of the role that owns them`)
  }
  return ok(check, `${role} may create tables and partitions in the schema ${schema}`)
}

function transactionsFinding({ seesSessions, oldestTransaction }: DatabaseFacts): Finding {
  const check = 'store snapshots'
  if (!seesSessions) return fault(check, 'unknown', 'the sessions of other roles are hidden from ours', SEE_SESSIONS)
  if (oldestTransaction === null) return ok(check, 'nobody has a transaction open')
  const { ageSeconds, owner } = oldestTransaction
  const minutes = (ageSeconds / 60).toFixed(1)
  const message = `the oldest transaction has been open for ${minutes} minutes (${owner})`
  if (ageSeconds <= OLD_TRANSACTION_SECONDS) return ok(check, message)
  const advice = 'end it: until then no dead rows are removed, and every table grows (pg_terminate_backend)'
  return fault(check, 'warning', message, advice)
}

function partitionsFinding({ partitionDaysAhead }: DatabaseFacts): Finding {
  const check = 'store partitions'
  const message =
    partitionDaysAhead < 0 ? 'partitions of today are missing' : `there for ${partitionDaysAhead} days after today`
  if (partitionDaysAhead >= LEAST_DAYS_AHEAD) return ok(check, message)
  const advice = 'run a service, which makes them every hour, or `cooler compact`; landings make what they miss'
  return fault(check, 'warning', message, advice)
}

function deadRowsFinding({ deadRows, autovacuums }: DatabaseFacts): Finding {
  const check = 'store dead rows'
  if (!autovacuums) {
    const message = 'autovacuum is off: no dead rows are removed, and every table grows'
    return fault(check, 'warning', message, 'set autovacuum and track_counts to on')
  }
  if (deadRows === null || deadRows.excess === 0) return ok(check, 'no table has more of them than live rows')
  const { table, live, dead, vacuumedSeconds } = deadRows
  const since =
    vacuumedSeconds === null ? 'it was never vacuumed' : `vacuumed ${(vacuumedSeconds / 60).toFixed(0)} minutes ago`
  const message = `table ${table}: ${dead} dead rows, ${live} live ones; ${since}`
  if (deadRows.excess <= MANY_DEAD_ROWS) return ok(check, message)
  return fault(
    check,
    'warning',
    message,
    'end old transactions; else give autovacuum more workers or a shorter naptime',
  )
}

function compressionFinding({ compression: { method, hasLz4 } }: DatabaseFacts): Finding {
  const check = 'store compression'
  if (method === 'lz4') return ok(check, 'lz4')
  if (hasLz4) {
    const advice = 'set the compression of the column body of all tables to lz4'
    return fault(check, 'warning', "pglz, the server's own method, though it knows lz4: landing costs more", advice)
  }
  const message = "pglz, the server's own method, as it does not know lz4: landing costs it two to three times as much"
  return fault(check, 'warning', message, 'use a server that was built with lz4')
}

function checksumsFinding({ checksumFailures }: DatabaseFacts): Finding {
  const check = 'store checksums'
  if (checksumFailures === null)
    return ok(check, 'the server writes none to its pages; those of our own are checked by reading, or by --deep')
  if (checksumFailures === 0) return ok(check, 'the server has found no damaged page')
  const message = `the server has found damaged pages (${checksumFailures} times)`
  return fault(check, 'failure', message, 'replace the disk: promote a standby, or recover from a backup')
}

function clockFinding({ clockAheadMs }: DatabaseFacts): Finding {
  const check = 'store clock'
  const seconds = (Math.abs(clockAheadMs) / 1000).toFixed(1)
  const message = `${seconds} s ${clockAheadMs < 0 ? 'behind' : 'ahead of'} that of the server`
  if (Math.abs(clockAheadMs) <= CLOCK_TOLERANCE_MS) return ok(check, message)
  return fault(check, 'warning', message, 'set the clocks of both machines (NTP)')
}
