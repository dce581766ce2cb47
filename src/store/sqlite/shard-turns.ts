import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import type { ShardTurns } from '../shard-turns.ts'
import type { Sqlite } from './database.ts'
import { isBusy } from './errors.ts'

/** How long a turn lasts unless it is renewed, and how often that is done. */
const LEASE_MS = 5000
const RENEW_MS = 1000
/** How often, and how many times, to try while somebody else writes. */
const RETRY_MS = 20
const ATTEMPTS = 25

/**
 * Keeps turns in the store as leases with a heartbeat. It has a connection of its own that never waits for a lock, as
 * it belongs to the main thread, and whose commits do not wait for the disk: a lost lease costs nothing but work.
 */
export class SqliteShardTurns implements ShardTurns {
  readonly #file: string
  #database: Sqlite | null = null

  constructor(file: string) {
    this.#file = file
  }

  async withShard<Result>(shard: number, work: () => Promise<Result>): Promise<{ result: Result } | null> {
    const holder = randomUUID()
    // Where the lease cannot be written, the work is done all the same, and reports what is wrong with the store.
    if ((await this.#patiently(() => this.#take(shard, holder))) === false) return null
    const heart = setInterval(() => this.#renew(shard, holder), RENEW_MS)
    heart.unref()
    try {
      return { result: await work() }
    } finally {
      clearInterval(heart)
      await this.#patiently(() => this.#end(shard, holder))
    }
  }

  #opened(): Sqlite {
    if (this.#database === null) {
      this.#database = new Database(this.#file, { timeout: 0, fileMustExist: true })
      this.#database.pragma('synchronous = NORMAL')
    }
    return this.#database
  }

  /** Takes the turn if it is free; a lease that ends later than any could is from a clock that has been set back. */
  #take(shard: number, holder: string): boolean {
    const take = this.#opened().prepare(
      `INSERT INTO shard_turn (shard, holder, until) VALUES (@shard, @holder, @until)
       ON CONFLICT DO UPDATE SET holder = excluded.holder, until = excluded.until
       WHERE until < @now OR until > @until`,
    )
    const now = Date.now()
    return take.run({ shard, holder, now, until: now + LEASE_MS }).changes === 1
  }

  #renew(shard: number, holder: string): void {
    try {
      const renew = this.#opened().prepare('UPDATE shard_turn SET until = ? WHERE shard = ? AND holder = ?')
      renew.run(Date.now() + LEASE_MS, shard, holder)
    } catch {
      // Somebody writes just now; the next beat follows before the lease ends.
    }
  }

  #end(shard: number, holder: string): boolean {
    this.#opened().prepare('DELETE FROM shard_turn WHERE shard = ? AND holder = ?').run(shard, holder)
    return true
  }

  /** Tries again while somebody else writes; returns null if that lasts, or if the store cannot be written. */
  async #patiently(attempt: () => boolean): Promise<boolean | null> {
    for (let left = ATTEMPTS; left > 0; left--) {
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error)) return null
      }
      await pause(RETRY_MS)
    }
    return null
  }

  close(): void {
    this.#database?.close()
    this.#database = null
  }
}
