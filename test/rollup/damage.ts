import type Database from 'better-sqlite3'
import { seededRandom } from '../helpers/random.ts'

/** A row of rollups, named so that lists of them can be compared. */
export const rowName = (shard: number, block: number, day: number): string => `shard ${shard} block ${block} day ${day}`

interface Row {
  rowid: number
  shard: number
  block: number
  day: number
  next_close_at: number | null
  body: Buffer
}

/** Spoils rows of a store in each way in which a disk, a hand or a bug might; gives which. */
export function spoilRows(database: Database.Database, count: number, seed: number): string[] {
  const { below: random } = seededRandom(seed)
  const all = database.prepare('SELECT rowid, shard, block, day, next_close_at, body FROM rollup_block').all() as Row[]
  const write = database.prepare('UPDATE rollup_block SET next_close_at = ?, body = ? WHERE rowid = ?')
  const remove = database.prepare('DELETE FROM rollup_block WHERE rowid = ?')
  const insert = database.prepare(
    'INSERT INTO rollup_block (shard, block, day, next_close_at, body) VALUES (?, ?, ?, ?, ?)',
  )
  const ways: ((row: Row) => string | null)[] = [
    ({ rowid, next_close_at, body, ...row }) => {
      const spoilt = Buffer.from(body)
      spoilt[random(body.length)] ^= 1 + random(255)
      write.run(next_close_at, spoilt, rowid)
      return rowName(row.shard, row.block, row.day)
    },
    ({ rowid, next_close_at, body, ...row }) => {
      write.run(next_close_at === null ? 1 + random(2e9) * 1000 : random(2) ? null : next_close_at + 1, body, rowid)
      return rowName(row.shard, row.block, row.day)
    },
    ({ rowid, ...row }) => {
      remove.run(rowid)
      return rowName(row.shard, row.block, row.day)
    },
    ({ next_close_at, body, ...row }) => {
      const day = random(2) === 0 ? row.day - 500 : row.day + 500
      insert.run(row.shard, row.block, day, next_close_at, body)
      return rowName(row.shard, row.block, day)
    },
    ({ rowid, next_close_at, body, ...row }) => {
      const other = all[random(all.length)]
      if (other.body.equals(body)) return null
      write.run(next_close_at, other.body, rowid)
      return rowName(row.shard, row.block, row.day)
    },
    ({ rowid, next_close_at, body, ...row }) => {
      write.run(next_close_at, body.subarray(0, random(body.length)), rowid)
      return rowName(row.shard, row.block, row.day)
    },
  ]
  const left = [...all]
  const spoilt: string[] = []
  while (spoilt.length < count && left.length > 0) {
    const [row] = left.splice(random(left.length), 1)
    // Half of all are single bytes.
    const way = random(2) === 0 ? ways[0] : ways[random(ways.length)]
    const name = way(row)
    if (name !== null) spoilt.push(name)
  }
  return spoilt.sort()
}
