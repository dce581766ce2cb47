import { expect, test } from 'vitest'
import { factFindings } from '../../src/cli/doctor/database-findings.ts'
import type { DatabaseFacts } from '../../src/store/open-store.ts'

/** A server that nothing is wrong with. */
const GOOD: DatabaseFacts = {
  server: '17.2',
  schema: { schema: 1, oldestWriter: 1, newest: 1 },
  bytes: 2 ** 30,
  clockAheadMs: -3,
  rights: { role: 'cooler', schema: 'public', mayCreate: true, foreignTables: [] },
  seesSessions: true,
  replication: {
    replicas: 1,
    synchronousReplicas: 1,
    lagSeconds: 0,
    standbyNames: '*',
    synchronousCommit: 'on',
    idleSlots: [{ name: 'new', keptBytes: 1000 }],
  },
  oldestTransaction: null,
  deadRows: { table: 'due_segment', live: 0, dead: 900, excess: 900, vacuumedSeconds: 30 },
  autovacuums: true,
  partitionDaysAhead: 8,
  compression: { method: 'lz4', hasLz4: true },
  checksumFailures: 0,
}

const wrong = (facts: Partial<DatabaseFacts>) =>
  factFindings('postgres://one/db', { ...GOOD, ...facts })
    .filter(({ severity }) => severity !== 'ok')
    .map(({ check, severity, message, advice }) => `${severity} ${check}: ${message} -> ${advice}`)

test('of a server that nothing is wrong with nothing is told', () => {
  expect(wrong({})).toEqual([])
  expect(wrong({ partitionDaysAhead: 7, clockAheadMs: 9999, checksumFailures: null, deadRows: null })).toEqual([])
})

test.each<[string, Partial<DatabaseFacts>, RegExp]>([
  [
    'a transaction that is open for long',
    { oldestTransaction: { ageSeconds: 660, owner: 'process 7 of report (psql), idle in transaction' } },
    /^warning store snapshots: the oldest transaction has been open for 11\.0 minutes \(process 7 .*\) -> end it/,
  ],
  [
    'dead rows',
    { deadRows: { table: 'due_segment', live: 5, dead: 20_000, excess: 19_995, vacuumedSeconds: null } },
    /^warning store dead rows: table due_segment: 20000 dead rows, 5 live ones; it was never vacuumed -> /,
  ],
  ['too few partitions', { partitionDaysAhead: 6 }, /^warning store partitions: there for 6 days after today -> /],
  [
    'a server without lz4',
    { compression: { method: 'pglz', hasLz4: false } },
    /^warning store compression: pglz.*does not know lz4.*-> use a server that was built with lz4$/,
  ],
  ['damaged pages', { checksumFailures: 2 }, /^failure store checksums: .*\(2 times\) -> replace the disk/],
  ['another clock', { clockAheadMs: 11_000 }, /^warning store clock: 11\.0 s ahead of that of the server -> /],
  ['another clock, behind', { clockAheadMs: -11_000 }, /^warning store clock: 11\.0 s behind that of the server -> /],
  [
    'a slow standby',
    { replication: { ...GOOD.replication, lagSeconds: 61 } },
    /^warning store replication: .* 61\.0 s behind at most -> /,
  ],
  [
    'a slot of a standby that is gone',
    { replication: { ...GOOD.replication, idleSlots: [{ name: 'old', keptBytes: 3 * 2 ** 30 }] } },
    /^warning store slot: nobody uses the slot old, for which the server keeps 3\.0 GiB of its log -> /,
  ],
])('of %s it is told what to do', (_, facts, told) => {
  expect(wrong(facts)).toEqual([expect.stringMatching(told)])
})
