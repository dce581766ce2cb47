import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cooler } from './cli/cooler.ts'
import { check, passed, REAL } from './helpers/checkers.ts'
import { temporaryDatabase } from './helpers/temporary-database.ts'

test.runIf(existsSync(REAL))(
  'two services on one PostgreSQL give the figures of all recordings (where ../shared/real is beside the project)',
  async () => {
    const settings = { COOLER_STORE: await temporaryDatabase(), COOLER_REFRESH_MINUTES: '0.02' }
    const program = cooler(settings)
    const { url } = await program.service(['start'])
    await program.service(['start'])
    expect(await check(REAL, url, '--shuffle', '7')).toEqual(passed)
    expect((await program.run(['verify'])).code).toBe(0)
  },
  900_000,
)
