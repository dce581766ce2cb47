import type { ShardTurns } from '../shard-turns.ts'
import type { Postgres } from './database.ts'

/** The server ends a turn that has not been heard of for so long; how often its holder speaks. */
const SILENCE_MS = 15_000
const BEAT_MS = 3000

/**
 * Keeps turns as locked rows: the holder's connection stands in a transaction, which the server ends when the connection
 * ends, or when it has been silent for too long.
 */
export class PostgresShardTurns implements ShardTurns {
  readonly #database: Postgres

  constructor(database: Postgres) {
    this.#database = database
  }

  withShard<Result>(shard: number, work: () => Promise<Result>): Promise<{ result: Result } | null> {
    return this.#database.withClient(async (client) => {
      await client.query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${SILENCE_MS}`)
      const { rowCount } = await client.query('SELECT 1 FROM shard_turn WHERE shard = $1 FOR UPDATE SKIP LOCKED', [
        shard,
      ])
      if (rowCount === 0) {
        await client.query('ROLLBACK')
        return null
      }
      // A beat that fails means that the turn has ended. The work goes on: its commit finds out whether it is late.
      const heart = setInterval(() => void client.query('SELECT 1').catch(() => clearInterval(heart)), BEAT_MS)
      heart.unref()
      try {
        return { result: await work() }
      } finally {
        clearInterval(heart)
        await client.query('COMMIT').catch(() => {})
      }
    })
  }
}
