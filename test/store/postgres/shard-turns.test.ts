import { expect, test } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { eventually } from '../../helpers/eventually.ts'
import { withClient } from '../../helpers/postgres-database.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'

test('the turn of a worker whose connection ends is free at once; its work goes on', async () => {
  const location = await temporaryDatabase()
  const options = { location, rejectsKept: 1 }
  const [dying, other] = [await openPostgresStore(options), await openPostgresStore(options)]
  let end = (): void => {}
  const work = new Promise<void>((resolve) => {
    end = resolve
  })
  let begun = (): void => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const held = dying.turns.withShard(3, async () => {
    begun()
    await work
    return 'done'
  })
  await hasBegun
  expect(await other.turns.withShard(3, async () => 'mine')).toBe(null)
  const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE query LIKE '%shard_turn%' AND state = 'idle in transaction' AND pid <> pg_backend_pid()`
  await withClient(location, (client) => client.query(terminate))
  await eventually(() => other.turns.withShard(3, async () => 'mine')).toEqual({ result: 'mine' })
  end()
  expect(await held).toEqual({ result: 'done' })
  await dying.close()
  await other.close()
})
