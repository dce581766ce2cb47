import type { Postgres } from './database.ts'
import { hasState } from './errors.ts'
import type { Session } from './session.ts'

/** Days in one partition of each partitioned table. */
export const PARTITION_DAYS = { segment: 7, compacted: 7, rollup_block: 28 } as const

/** The days after today for which partitions are made ahead: a week, and a day more until the upkeep comes again. */
const DAYS_AHEAD = 8

export type PartitionedTable = keyof typeof PARTITION_DAYS

const TABLES = Object.keys(PARTITION_DAYS) as PartitionedTable[]

/** Returns the partition of a table that holds a day, by number. */
export const partitionOf = (table: PartitionedTable, day: number): number => Math.floor(day / PARTITION_DAYS[table])

/** Returns the name of a partition. Days before 1970 have negative numbers, which a name spells with an n. */
export const partitionName = (table: PartitionedTable, partition: number): string =>
  `${table}_${partition < 0 ? `n${-partition}` : partition}`

/** Creates the partitions that rows need, and remembers which there are. */
export class Partitions {
  readonly #database: Postgres
  readonly #known = new Set<string>()

  constructor(database: Postgres) {
    this.#database = database
  }

  /** Creates the partitions of a table for these days, unless they exist. Call it before the transaction that writes. */
  async ensure(table: PartitionedTable, days: Iterable<number>): Promise<void> {
    for (const partition of new Set([...days].map((day) => partitionOf(table, day)))) {
      const name = partitionName(table, partition)
      if (this.#known.has(name)) continue
      if (!(await isThere(this.#database.session, name))) await this.#create(table, partition, name)
      this.#known.add(name)
    }
  }

  /** Creates the partitions of all tables for a day and the days after it. */
  async ensureAhead(day: number): Promise<void> {
    const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, after) => day + after)
    for (const table of TABLES) await this.ensure(table, days)
  }

  /** Attaching a table locks nobody out; creating it as a partition would wait for all who read the table. */
  async #create(table: PartitionedTable, partition: number, name: string): Promise<void> {
    const days = PARTITION_DAYS[table]
    try {
      await this.#database.transaction(async (session) => {
        await session.run(`CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL)`)
        await session.run(
          `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${partition * days}) TO (${(partition + 1) * days})`,
        )
      })
    } catch (error) {
      // Another program has just created it.
      if (!['42P07', '23505', '42710'].some((state) => hasState(error, state))) throw error
    }
  }
}

async function isThere(session: Session, name: string): Promise<boolean> {
  const [{ there }] = await session.rows<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [name])
  return there
}

/** Returns the partitions of a table that end by a day. */
export async function partitionsBefore(session: Session, table: PartitionedTable, day: number): Promise<string[]> {
  const last = partitionOf(table, day)
  return (await partitionsOf(session, table)).filter((name) => numberOf(table, name) < last)
}

async function partitionsOf(session: Session, table: PartitionedTable): Promise<string[]> {
  const rows = await session.rows<{ name: string }>(
    'SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = to_regclass($1)',
    [table],
  )
  return rows.map(({ name }) => name)
}

/** Returns for how many whole days after a day every table has partitions without a gap; -1 if one lacks the day itself. */
export async function countDaysAhead(session: Session, day: number): Promise<number> {
  const ahead: number[] = []
  for (const table of TABLES) {
    const there = new Set((await partitionsOf(session, table)).map((name) => numberOf(table, name)))
    let partition = partitionOf(table, day)
    while (there.has(partition)) partition++
    ahead.push(Math.max(-1, partition * PARTITION_DAYS[table] - day - 1))
  }
  return Math.min(...ahead)
}

function numberOf(table: PartitionedTable, name: string): number {
  const text = name.slice(table.length + 1)
  return text.startsWith('n') ? -Number(text.slice(1)) : Number(text)
}
