import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPostgresStore } from '../src/store/postgres/store.ts'
import { cooler } from './cli/cooler.ts'
import { CASES, check, passed, SHARED } from './helpers/checkers.ts'
import { temporaryDatabase } from './helpers/temporary-database.ts'

/** As few as can be, as each case asks for rollups of all shards. The recordings are spread over as many as usual. */
const SHARDS = 1

test.runIf(existsSync(CASES))(
  'a service on PostgreSQL gives the figures of every case (where ../shared/cases is beside the project)',
  async () => {
    const location = await temporaryDatabase()
    await (await openPostgresStore({ location, rejectsKept: 1 }, SHARDS)).close()
    const program = cooler({ COOLER_STORE: location, COOLER_THREADS: '2' })
    const { url } = await program.service(['start'])
    expect(await check(CASES, url, `${SHARED}cases`)).toEqual(passed)
    expect((await program.run(['verify'])).code).toBe(0)
  },
  600_000,
)
