import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryStore } from '../../helpers/temporary-store.ts'

/** A store in which another worker has noted a turn of shard 0 that ends so many ms from now. */
function withTurn(endsInMs: number) {
  const store = temporaryStore()
  const database = new Database(store.file)
  onTestFinished(() => void database.close())
  database.prepare("INSERT INTO shard_turn VALUES (0, 'another', ?)").run(Date.now() + endsInMs)
  return { store, database }
}

test('a turn holds while its lease lasts, and is taken over once that has run out', async () => {
  const take = (endsInMs: number) => withTurn(endsInMs).store.turns.withShard(0, async () => 'mine')
  expect(await take(3000)).toBe(null)
  expect(await take(-1)).toEqual({ result: 'mine' })
})

test('a lease from a clock that was ahead does not hold', async () => {
  expect(await withTurn(3_600_000).store.turns.withShard(0, async () => 'mine')).toEqual({ result: 'mine' })
})

test('the work is done without a turn where the lease cannot be written, and finds out itself what is wrong', async () => {
  const { store, database } = withTurn(-1)
  database.exec('BEGIN IMMEDIATE')
  expect(await store.turns.withShard(0, async () => 'done')).toEqual({ result: 'done' })
})
