import { type Sqlite, writeTransaction } from './connection.ts'

/** Runs `work` in a write transaction, which is rolled back where `work` returns false. Returns what `work` returns. */
export function allOrNothing(database: Sqlite, work: () => boolean): boolean {
  const refused = new Error('refused')
  try {
    return writeTransaction(database, () => {
      if (!work()) throw refused
      return true
    })
  } catch (error) {
    if (error !== refused) throw error
    return false
  }
}
