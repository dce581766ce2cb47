import { END_OF_TIME } from '../due.ts'
import type { BlockRow, StoredBlockRow } from '../rollup-store.ts'
import { BlocksAhead } from './blocks-ahead.ts'
import { int, int4, type Session } from './session.ts'

/** Reads the rows of blocks; see RollupReads for what each method returns. */
export class PostgresRollupBlocks {
  readonly #blocks: Session
  /** Remembers what it read, where the state that the session sees does not change. */
  readonly #ahead: BlocksAhead | null

  constructor(session: Session, isFixed: boolean) {
    this.#blocks = session
    this.#ahead = isFixed ? new BlocksAhead(session) : null
  }

  async #rows(where: string): Promise<StoredBlockRow[]> {
    const rows: StoredBlockRow[] = []
    await this.#blocks.copyOut(`SELECT block, day, next_close_at, body FROM rollup_block WHERE ${where}`, (row) =>
      rows.push({ block: row.int(0), day: row.int(1), nextCloseAt: row.intOrNull(2), body: row.bytes(3) }),
    )
    return rows
  }

  async #plainRows(where: string): Promise<BlockRow[]> {
    return (await this.#rows(where)).map(({ block, day, body }) => ({ block, day, body }))
  }

  async block(shard: number, block: number, day: number): Promise<Buffer | null> {
    const ahead = await this.#ahead?.block(shard, block, day)
    if (ahead !== undefined) return ahead
    const rows = await this.#rows(`shard = ${int(shard)} AND block = ${int(block)} AND day = ${int(day)}`)
    return rows[0]?.body ?? null
  }

  blocks(shard: number, block: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#plainRows(ofBlock(shard, block, fromDay, toDay))
  }

  storedRows(shard: number, block: number, fromDay: number, toDay: number): Promise<StoredBlockRow[]> {
    return this.#rows(ofBlock(shard, block, fromDay, toDay))
  }

  async blocksBeyond(shard: number, count: number): Promise<number[]> {
    const rows = await this.#blocks.rows<{ block: number }>(
      `SELECT block FROM rollup_block WHERE shard = $1 AND (block < 0 OR block >= $2)
       UNION SELECT block FROM rollup_week WHERE shard = $1 AND (block < 0 OR block >= $2) ORDER BY block`,
      [shard, count],
    )
    return rows.map(({ block }) => block)
  }

  async neighbour(shard: number, block: number, day: number, direction: -1 | 1): Promise<BlockRow | null> {
    const [bound, order] = direction < 0 ? ['<', 'DESC'] : ['>', 'ASC']
    const rows = await this.#plainRows(
      `shard = ${int(shard)} AND block = ${int(block)} AND day ${bound} ${int4(day)} ORDER BY day ${order} LIMIT 1`,
    )
    return rows[0] ?? null
  }

  async daysOfBlock(shard: number, block: number): Promise<number[]> {
    const ahead = await this.#ahead?.daysOf(shard, block)
    if (ahead !== undefined) return ahead
    const rows = await this.#blocks.rows<{ day: number }>(
      'SELECT day FROM rollup_block WHERE shard = $1 AND block = $2 ORDER BY day',
      [shard, block],
    )
    return rows.map(({ day }) => day)
  }

  blocksOfShard(shard: number, fromDay: number, toDay: number): Promise<BlockRow[]> {
    return this.#plainRows(
      `shard = ${int(shard)} AND day BETWEEN ${int4(fromDay)} AND ${int4(toDay)} ORDER BY block, day`,
    )
  }

  openBlocks(shard: number, until: number): Promise<BlockRow[]> {
    return this.#plainRows(`shard = ${int(shard)} AND next_close_at <= ${int(Math.min(until, END_OF_TIME))}`)
  }

  async openShards(until: number): Promise<number[]> {
    const rows = await this.#blocks.rows<{ shard: number }>(
      'SELECT DISTINCT shard FROM rollup_block WHERE next_close_at <= $1',
      [Math.min(until, END_OF_TIME)],
    )
    return rows.map(({ shard }) => shard)
  }
}

const ofBlock = (shard: number, block: number, fromDay: number, toDay: number): string =>
  `shard = ${int(shard)} AND block = ${int(block)} AND day BETWEEN ${int4(fromDay)} AND ${int4(toDay)} ORDER BY day`
