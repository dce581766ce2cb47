import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../../helpers/postgres-database.ts'
import { seededRandom } from '../../helpers/random.ts'
import { type Balance, Ledger } from '../ledger.ts'
import { batchOf, httpProducer, type ProducerOptions, queueProducer, type Refusals } from '../producers.ts'
import { balanceOf, inflict, isQuiet, REST_MS, statusOf } from '../run-chaos.ts'
import { openPostgresArena, type PostgresArena } from './arena.ts'
import { postgresFaults } from './faults.ts'

export interface PostgresChaosResult {
  faults: Record<string, number>
  restarts: number
  refusals: Record<string, number>
  balances: Record<Fleet, Balance>
  /** Exit codes of `cooler verify`. */
  verified: Record<Fleet, number | null>
  /** Revisions with the cause `clock`. */
  clockRevisions: number
  /** Versions of a shard that were committed more than once, or left out. */
  wrongVersions: number
  /** The longest time in which no API server took anything, ms. */
  longestPauseMs: number
  /** The longest times from a promotion to the next event that an API server took, ms. */
  resumedMs: number[]
}

const FLEETS = ['direct', 'queue'] as const
type Fleet = (typeof FLEETS)[number]

/** Acknowledged events of each fleet without which a run tells nothing. */
const FEWEST = 200

/** Notes each version that a shard gets, as seen by the database itself. */
const AUDIT = `
  CREATE TABLE IF NOT EXISTS audit (shard int, before bigint, version bigint);
  CREATE OR REPLACE FUNCTION note_version() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO audit VALUES (new.shard, old.version, new.version); RETURN new; END $$;
  CREATE OR REPLACE TRIGGER note_version BEFORE UPDATE ON shard FOR EACH ROW
    WHEN (new.version <> old.version) EXECUTE FUNCTION note_version()`

/** Sends to several machines at once while faults are inflicted; at rest, the figures are held against the ledger. */
export async function runPostgresChaos(minutes: number, seed: number): Promise<PostgresChaosResult> {
  const random = seededRandom(seed)
  const arena = await openPostgresArena()
  const ledgers = { direct: new Ledger(), queue: new Ledger() }
  const refusals: Refusals = new Map()
  await atRest(arena)
  for (const fleet of FLEETS) await withClient(urlOf(arena, fleet), (client) => client.query(AUDIT))
  const until = Date.now() + minutes * 60_000
  const enough = (): boolean => Object.values(ledgers).every(({ acknowledged }) => acknowledged >= FEWEST)
  const goesOn = (): boolean => Date.now() < until || (!enough() && Date.now() < until + REST_MS)
  const options = (name: string, ledger: Ledger): ProducerOptions => ({
    name,
    ledger,
    random: seededRandom(random.between(0, 2 ** 31)),
    goesOn,
  })
  const watched = watchTakings(ledgers.direct, goesOn)
  const producers = [
    ...arena.urls.direct.map((url, nth) => httpProducer(url, options(`direct-${nth}`, ledgers.direct), refusals)),
    ...arena.urls.queue.map((url, nth) => httpProducer(url, options(`queued-${nth}`, ledgers.queue), refusals)),
    doubleProducer(arena.urls.direct, options('double', ledgers.direct)),
    queueProducer(arena, options('producer', ledgers.queue), refusals),
  ]
  const faults = postgresFaults(arena, random, minutes)
  await inflict(faults, random, goesOn)
  await Promise.all(producers)
  await atRest(arena)
  const balances = {
    direct: await balanceOf(arena.urls.direct[0], ledgers.direct),
    queue: await balanceOf(arena.urls.queue[0], ledgers.queue),
  }
  await arena.close()
  const takings = await watched
  return {
    faults: Object.fromEntries(faults.map(({ name, times }) => [name, times])),
    restarts: arena.machines.reduce((sum, { process }) => sum + process.starts() - 1, 0),
    refusals: Object.fromEntries([...refusals].sort()),
    balances,
    verified: { direct: await verify(arena, 'direct'), queue: await verify(arena, 'queue') },
    clockRevisions: await sumOf(arena, `SELECT count(*) FROM revision WHERE causes LIKE '%clock%'`),
    wrongVersions: await sumOf(
      arena,
      'SELECT count(*) - count(DISTINCT (shard, version)) + count(*) FILTER (WHERE version <> before + 1) FROM audit',
    ),
    longestPauseMs: longestPause(takings),
    resumedMs: longestResumes(arena.cluster.promotions, takings),
  }
}

/** Posts each batch to two API servers at the same time; what either acknowledges counts once. */
async function doubleProducer(urls: readonly string[], options: ProducerOptions): Promise<void> {
  while (options.goesOn()) {
    const events = batchOf(options)
    const body = JSON.stringify(events)
    const answers = urls.map(async (url) => {
      const signal = AbortSignal.timeout(30_000)
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(`${url}/v1/telemetry`, { method: 'POST', headers, body, signal })
      if (status === 202) options.ledger.acknowledge(events)
    })
    await Promise.allSettled(answers)
    await sleep(options.random.between(20, 200))
  }
}

/** Returns when something more had been acknowledged, epoch ms. */
async function watchTakings(ledger: Ledger, goesOn: () => boolean): Promise<number[]> {
  const takings = [Date.now()]
  let before = 0
  while (goesOn()) {
    await sleep(50)
    if (ledger.acknowledged === before) continue
    takings.push(Date.now())
    before = ledger.acknowledged
  }
  return takings
}

const longestPause = (takings: readonly number[]): number =>
  takings.reduce((longest, at, nth) => (nth === 0 ? 0 : Math.max(longest, at - takings[nth - 1])), 0)

/** Returns the longest times from promotions to the next taking, ms; at most three. */
const longestResumes = (promotions: readonly number[], takings: readonly number[]): number[] =>
  promotions
    .flatMap((at) => {
      const next = takings.find((taking) => taking > at)
      return next === undefined ? [] : [next - at]
    })
    .sort((one, other) => other - one)
    .slice(0, 3)

/** Resolves when all API servers answer, the queue is empty and nothing is due. */
async function atRest({ urls, machines }: PostgresArena): Promise<void> {
  const until = Date.now() + REST_MS
  for (let quiet = 0; quiet < 3; await sleep(300)) {
    const statuses = await Promise.all([...urls.direct, ...urls.queue].map(statusOf))
    quiet = statuses.every((status) => typeof status !== 'string' && isQuiet(status)) ? quiet + 1 : 0
    if (Date.now() < until) continue
    const words = machines.map(({ process }) => `${process.name}, start ${process.starts()}: ${process.lastWords()}`)
    throw new Error([`not at rest: ${JSON.stringify(statuses)}`, ...words].join('\n'))
  }
}

const urlOf = ({ cluster }: PostgresArena, fleet: Fleet): string => cluster.primary().url(fleet)

async function sumOf(arena: PostgresArena, statement: string): Promise<number> {
  let sum = 0
  for (const fleet of FLEETS) {
    const { rows } = await withClient(urlOf(arena, fleet), (client) => client.query(statement))
    sum += Number(Object.values(rows[0])[0])
  }
  return sum
}

async function verify(arena: PostgresArena, fleet: Fleet): Promise<number | null> {
  return (await arena.program.run(['verify'], { env: { COOLER_STORE: urlOf(arena, fleet) } })).code
}
