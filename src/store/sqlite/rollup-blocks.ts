import type { BlockRow, StoredBlockRow } from '../rollup-store.ts'
import { prepared, type Sqlite } from './connection.ts'

/** Reads the rows of blocks; see RollupReads for what each method returns. */
export class SqliteRollupBlocks {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  async block(shard: number, block: number, day: number): Promise<Buffer | null> {
    return this.body(shard, block, day)
  }

  /** Returns the body of a row synchronously, for a transaction that changes it. */
  protected body(shard: number, block: number, day: number): Buffer | null {
    const select = this.#sql('SELECT body FROM rollup_block WHERE shard = ? AND block = ? AND day = ?')
    return (select.get(shard, block, day) as { body: Buffer } | undefined)?.body ?? null
  }

  async blocks(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day',
    ).all(shard, block, fromDay, toDay) as BlockRow[]
  }

  async storedRows(shard: number, block: number, fromDay: number, toDay: number): Promise<StoredBlockRow[]> {
    return this.#sql(
      `SELECT block, day, next_close_at AS nextCloseAt, body FROM rollup_block
       WHERE shard = ? AND block = ? AND day BETWEEN ? AND ? ORDER BY day`,
    ).all(shard, block, fromDay, toDay) as StoredBlockRow[]
  }

  async blocksBeyond(shard: number, count: number): Promise<number[]> {
    const select = this.#sql(
      `SELECT block FROM rollup_block WHERE shard = ? AND (block < 0 OR block >= ?)
       UNION SELECT block FROM rollup_week WHERE shard = ? AND (block < 0 OR block >= ?) ORDER BY block`,
    )
    return select.pluck().all(shard, count, shard, count) as number[]
  }

  async neighbour(shard: number, block: number, day: number, direction: -1 | 1): Promise<BlockRow | null> {
    const before =
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day < ? ORDER BY day DESC LIMIT 1'
    const after =
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND block = ? AND day > ? ORDER BY day LIMIT 1'
    return (this.#sql(direction < 0 ? before : after).get(shard, block, day) as BlockRow | undefined) ?? null
  }

  async daysOfBlock(shard: number, block: number): Promise<number[]> {
    const select = this.#sql('SELECT day FROM rollup_block WHERE shard = ? AND block = ? ORDER BY day')
    return select.pluck().all(shard, block) as number[]
  }

  async blocksOfShard(shard: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND day BETWEEN ? AND ? ORDER BY block, day',
    ).all(shard, fromDay, toDay) as BlockRow[]
  }

  async openBlocks(shard: number, until: number): Promise<BlockRow[]> {
    return this.#sql(
      'SELECT block, day, body FROM rollup_block WHERE shard = ? AND next_close_at IS NOT NULL AND next_close_at <= ?',
    ).all(shard, until) as BlockRow[]
  }

  async openShards(until: number): Promise<number[]> {
    const select = this.#sql(
      'SELECT DISTINCT shard FROM rollup_block WHERE next_close_at IS NOT NULL AND next_close_at <= ?',
    )
    return select.pluck().all(until) as number[]
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}
