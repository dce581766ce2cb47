import { expect, test } from 'vitest'
import { Postgres } from '../../../src/store/postgres/database.ts'
import { countDaysAhead } from '../../../src/store/postgres/partitions.ts'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { firstValue } from '../../helpers/postgres-database.ts'
import { closedAfter } from '../../helpers/postgres-sessions.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'

/** A day within a partition of a week, and within one of four weeks. */
const DAY = 19_723
const PARTITIONS = "SELECT count(*)::int FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r'"

test('the days after a day are prepared in all tables, and preparing them again does nothing', async () => {
  const location = await temporaryDatabase()
  const { archive } = closedAfter(await openPostgresStore({ location, rejectsKept: 1 }, 1))
  const { session } = closedAfter(new Postgres(location))
  expect(await countDaysAhead(session, DAY)).toBe(-1)
  for (const [day, partitions] of [
    [DAY - 2, 5],
    [DAY - 2, 5],
    [DAY, 5],
    [DAY + 7, 7],
  ] as const) {
    await archive.prepareDays(day)
    expect(await countDaysAhead(session, day)).toBeGreaterThanOrEqual(8)
    expect(await firstValue(location, PARTITIONS)).toBe(partitions)
  }
})
