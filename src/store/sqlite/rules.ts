import { END_OF_TIME } from '../due.ts'
import type { StoreRest } from '../moving.ts'
import type { Cause } from '../revision.ts'
import type { RulesChange } from '../rollup-store.ts'
import { prepared, type Sqlite, writeTransaction } from './connection.ts'

/** Prefix of the names of the settings that hold the clocks of zones. */
const ZONE_CLOCK = 'zone clock '

/** Stores the rules by which a store is rolled up, and the clocks of the zones in use. */
export class SqliteRules {
  readonly #database: Sqlite
  readonly #shards: number

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
  }

  text(): string | null {
    return (this.#sql('SELECT text FROM rules').get() as { text: string } | undefined)?.text ?? null
  }

  adopt({ before, text, now, clocks, zones }: RulesChange): boolean {
    return writeTransaction(this.#database, () => {
      if (this.text() !== before) return false
      this.#sql(
        `INSERT INTO rules (id, text, since_at) VALUES (1, ?, ?)
         ON CONFLICT DO UPDATE SET text = excluded.text, since_at = excluded.since_at`,
      ).run(text, now)
      const clock = this.#sql(
        'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      )
      for (const [zone, fingerprint] of clocks) clock.run(ZONE_CLOCK + zone, fingerprint)
      if (before !== null) this.#makeDue(zones)
      return true
    })
  }

  #makeDue(zones: readonly string[] | null): void {
    const cause: Cause = 'rules-version'
    const list = JSON.stringify(zones ?? [])
    this.#sql(
      `INSERT INTO due_device (shard, device, from_at, to_at, cause)
       SELECT number % ?, number, 0, ?, ? FROM device WHERE erased_at IS NULL AND (?
         OR number IN (SELECT device FROM placement
           WHERE removed_at IS NULL AND zone IN (SELECT value FROM json_each(?)))
         OR ('' IN (SELECT value FROM json_each(?))
           AND number NOT IN (SELECT device FROM placement WHERE removed_at IS NULL)))
       ORDER BY number`,
    ).run(this.#shards, END_OF_TIME, cause, zones === null ? 1 : 0, list, list)
  }

  zoneClocks(): Map<string, number> {
    const rows = this.#sql('SELECT name, value FROM setting WHERE substr(name, 1, ?) = ?').all(
      ZONE_CLOCK.length,
      ZONE_CLOCK,
    ) as { name: string; value: number }[]
    return new Map(rows.map(({ name, value }) => [name.slice(ZONE_CLOCK.length), value]))
  }

  noteZoneClocks(rules: string, clocks: ReadonlyMap<string, number>): void {
    writeTransaction(this.#database, () => {
      if (this.text() !== rules) return
      const note = this.#sql('INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING')
      for (const [zone, fingerprint] of clocks) note.run(ZONE_CLOCK + zone, fingerprint)
    })
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

/** Replaces the rules and the clocks of zones. Call it within a transaction. */
export function putRules(database: Sqlite, { rules, zoneClocks, now }: StoreRest): void {
  prepared(database, 'DELETE FROM rules').run()
  prepared(database, 'DELETE FROM setting WHERE substr(name, 1, ?) = ?').run(ZONE_CLOCK.length, ZONE_CLOCK)
  if (rules !== null) prepared(database, 'INSERT INTO rules (id, text, since_at) VALUES (1, ?, ?)').run(rules, now)
  const clock = prepared(database, 'INSERT INTO setting (name, value) VALUES (?, ?)')
  for (const [zone, fingerprint] of zoneClocks) clock.run(ZONE_CLOCK + zone, fingerprint)
}
