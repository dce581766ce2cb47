import type { Postgres } from './database.ts'
import type { Session } from './session.ts'

/** Runs `work` in a transaction, which is rolled back where `work` returns false. Returns what `work` returns. */
export async function allOrNothing(database: Postgres, work: (session: Session) => Promise<boolean>): Promise<boolean> {
  const refused = new Error('refused')
  try {
    return await database.transaction(async (session) => {
      if (!(await work(session))) throw refused
      return true
    })
  } catch (error) {
    if (error !== refused) throw error
    return false
  }
}
