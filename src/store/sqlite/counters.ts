import type { Counters, RejectToLand } from '../landing.ts'
import { prepared, REGISTRY_VERSION, type Sqlite } from './connection.ts'

const NAME = {
  landed: 'landed',
  erased: 'erased',
  rejected: 'rejected',
  rejectsDropped: 'rejects dropped',
  byReason: 'rejected: ',
} as const

/** Reads and adds to the running totals of events. The caller opens the transaction to write in. */
export class SqliteCounters {
  readonly #database: Sqlite

  constructor(database: Sqlite) {
    this.#database = database
  }

  add(name: Exclude<keyof typeof NAME, 'byReason'>, by: number): void {
    this.#add(NAME[name], by)
  }

  addRejects(rejects: readonly Pick<RejectToLand, 'reason'>[]): void {
    const byReason = new Map<string, number>()
    for (const { reason } of rejects) byReason.set(reason, (byReason.get(reason) ?? 0) + 1)
    for (const [reason, count] of byReason) this.#add(NAME.byReason + reason, count)
    this.#add(NAME.rejected, rejects.length)
  }

  #add(name: string, by: number): void {
    if (by !== 0) addCount(this.#database, name, by)
  }

  read(): Counters {
    const rows = this.#sql('SELECT name, value FROM counter').all() as { name: string; value: number }[]
    const values = new Map(rows.map(({ name, value }) => [name, value]))
    const byReason = rows.filter(({ name }) => name.startsWith(NAME.byReason))
    return {
      landed: values.get(NAME.landed) ?? 0,
      erased: values.get(NAME.erased) ?? 0,
      rejected: values.get(NAME.rejected) ?? 0,
      rejectsDropped: values.get(NAME.rejectsDropped) ?? 0,
      rejectedByReason: Object.fromEntries(
        byReason.map(({ name, value }) => [name.slice(NAME.byReason.length), value]),
      ),
    }
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

/** Returns the value of a counter; 0 if it was never added to. */
export function countOf(database: Sqlite, name: string): number {
  const row = prepared(database, 'SELECT value FROM counter WHERE name = ?').get(name)
  return (row as { value: number } | undefined)?.value ?? 0
}

/** Adds to a counter. Call it within a transaction. */
export function addCount(database: Sqlite, name: string, by: number): void {
  const add = 'INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value'
  prepared(database, add).run(name, by)
}

const ERASED_DEVICES = 'devices erased'

/** Returns how many devices have been erased. */
export const erasedDevices = (database: Sqlite): number => countOf(database, ERASED_DEVICES)

/** Announces a change of devices or placements to those who cache them. Call it within its transaction. */
export function noteRegistryChange(database: Sqlite, erased = 0): void {
  addCount(database, REGISTRY_VERSION, 1)
  if (erased > 0) addCount(database, ERASED_DEVICES, erased)
}

/** Replaces all totals. Call it within a transaction. */
export function putCounters(database: Sqlite, { rejectedByReason, ...totals }: Counters): void {
  const byName = new Map<string, number>()
  for (const [name, value] of Object.entries(totals)) byName.set(NAME[name as keyof typeof totals], value)
  for (const [reason, value] of Object.entries(rejectedByReason)) byName.set(NAME.byReason + reason, value)
  prepared(database, 'DELETE FROM counter').run()
  const insert = prepared(database, 'INSERT INTO counter (name, value) VALUES (?, ?)')
  for (const [name, value] of byName) insert.run(name, value)
}
