import { inject, test } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.ts'
import { createDatabase, dropDatabase } from '../../helpers/postgres-database.ts'
import { checkUpkeep } from '../check-upkeep.ts'

test(
  'on PostgreSQL any landings, rollups, compactions, prunings, moves, erasures and restarts end in the figures of the plain reference',
  () =>
    checkUpkeep(async () => {
      const location = await createDatabase(inject('postgresUrl'))
      return {
        open: () => openPostgresStore({ location, rejectsKept: 10 }, 1),
        remove: () => dropDatabase(location),
      }
    }),
  300_000,
)
