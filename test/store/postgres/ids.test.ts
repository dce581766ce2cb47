import { expect, onTestFinished, test } from 'vitest'
import { Postgres } from '../../../src/store/postgres/database.ts'
import { shareGuard } from '../../../src/store/postgres/guard.ts'
import { Ids } from '../../../src/store/postgres/ids.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { startPostgresServer } from '../../helpers/postgres-server.ts'

/** Takes ids in a transaction, which is rolled back if `fails`. */
async function takeIn(database: Postgres, ids: Ids, count: number, fails = false): Promise<number[]> {
  let taken: number[] = []
  const work = database.transaction(async (session) => {
    const { server } = await shareGuard(session)
    taken = await ids.take(session, count, server)
    if (fails) throw new Error('rolled back')
  })
  await (fails ? expect(work).rejects.toThrow('rolled back') : work)
  return taken
}

test('ids that a server gave before it crashed, and gives again, are used by one program only', async () => {
  // What is not committed is lost by the crash: nothing writes the log before a commit does.
  const server = await startPostgresServer({ durable: true, settings: { wal_writer_delay: 10_000 } })
  onTestFinished(() => server.stop())
  const location = await server.newDatabase()
  await (await openPostgresStore({ location, rejectsKept: 1 })).close()
  const database = new Postgres(location)
  onTestFinished(() => database.close())
  const [one, other] = [new Ids(), new Ids()]
  await database.session.run('CHECKPOINT')
  const before = await takeIn(database, one, 3, true)
  await server.kill('SIGKILL')
  await server.restart()
  const again = await takeIn(database, other, 3)
  expect(again).toEqual(before)
  const after = await takeIn(database, one, 2000)
  expect(after.filter((id) => again.includes(id))).toEqual([])
  const rest = await takeIn(database, other, 2000)
  expect(new Set([...again, ...after, ...rest]).size).toBe(4003)
})
