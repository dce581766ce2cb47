import { expect, onTestFinished, test } from 'vitest'
import type { EventBatch } from '../../../src/event/event-batch.ts'
import { SqliteArchive } from '../../../src/store/sqlite/archive.ts'
import { openSqlite, openSqliteReader, type Sqlite } from '../../../src/store/sqlite/connection.ts'
import { SqliteLanding } from '../../../src/store/sqlite/landing.ts'
import { SqliteRegistry } from '../../../src/store/sqlite/registry.ts'
import { SqliteRejects } from '../../../src/store/sqlite/rejects.ts'
import { temporaryFolder, temporaryStore } from '../../helpers/temporary-store.ts'
import { DAY_MS, LANDED_AT, MIDNIGHT, place, visitors } from '../landing-fixture.ts'

const SHARDS = 16

function closing(database: Sqlite): Sqlite {
  onTestFinished(() => void database.close())
  return database
}

/** Every row of every table. */
function contents(file: string): Record<string, unknown[]> {
  const reader = openSqliteReader(file)
  const names = reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
  const tables = names.map((name) => [name, reader.prepare(`SELECT * FROM ${name}`).all()])
  reader.close()
  return Object.fromEntries(tables)
}

/** Something for every table that a landing writes: a known device that is placed, a new one, events, a reject. */
function everything(): EventBatch {
  const batch = visitors(['new', MIDNIGHT, 1], ['known', MIDNIGHT + DAY_MS, 2])
  place(batch, 'known')
  batch.reject('bad-at', '{}')
  return batch
}

test.each(['device', 'placement', 'due_device', 'segment', 'due_segment', 'reject', 'counter'])(
  'a landing that fails at table %s leaves nothing, and lands later as if it never had',
  async (table) => {
    const [failing, sound] = [temporaryStore(), temporaryStore()]
    for (const { landing } of [failing, sound]) await landing.land(visitors(['known', MIDNIGHT, 1]), LANDED_AT)
    const before = contents(failing.file)

    const saboteur = closing(openSqlite(failing.file))
    for (const change of ['INSERT', 'UPDATE'])
      saboteur.exec(
        `CREATE TRIGGER refuse_${change} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      )
    await expect(failing.landing.land(everything(), LANDED_AT)).rejects.toThrow('refused')
    expect(contents(failing.file)).toEqual(before)

    saboteur.exec('DROP TRIGGER refuse_INSERT; DROP TRIGGER refuse_UPDATE')
    for (const { landing } of [failing, sound]) {
      await landing.land(visitors(['other', MIDNIGHT, 3]), LANDED_AT)
      await landing.land(everything(), LANDED_AT)
    }
    expect(contents(failing.file)).toEqual(contents(sound.file))
    expect((await failing.registry.devices()).map(({ id, number }) => [number, id])).toEqual([
      [0, 'known'],
      [2, 'new'],
      [1, 'other'],
    ])
  },
)

test('while another writer keeps its lock a landing is refused as store-busy, and lands after it', async () => {
  const file = `${temporaryFolder()}/store.sqlite`
  const database = closing(openSqlite(file))
  database.pragma('busy_timeout = 50')
  const registry = new SqliteRegistry(database, SHARDS)
  const parts = { registry, archive: new SqliteArchive(database, SHARDS), rejects: new SqliteRejects(database, 1000) }
  const landing = new SqliteLanding(database, parts)
  const other = closing(openSqlite(file))
  await landing.land(visitors(['first', MIDNIGHT, 1]), LANDED_AT)
  const before = contents(file)

  other.exec('BEGIN IMMEDIATE')
  await expect(landing.land(everything(), LANDED_AT)).rejects.toMatchObject({ code: 'store-busy', retryable: true })
  await expect(registry.put('third', {}, LANDED_AT)).rejects.toMatchObject({ code: 'store-busy', retryable: true })
  other.exec('ROLLBACK')
  expect(contents(file)).toEqual(before)

  await landing.land(visitors(['second', MIDNIGHT, 2]), LANDED_AT)
  await landing.land(everything(), LANDED_AT)
  const numbers = new Map((await registry.devices()).map(({ id, number }) => [id, number]))
  expect(numbers).toEqual(new Map(Object.entries({ first: 0, known: 3, new: 2, second: 1 })))
})
