import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstValue } from '../helpers/postgres-database.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { cooler } from './cooler.ts'

test('backup and restore refuse a store in PostgreSQL, touch nothing and name what does it', async () => {
  const url = await temporaryDatabase()
  const { run } = cooler({ COOLER_STORE: url })
  const copy = join(temporaryFolder(), 'copy.sqlite')
  const refused = { code: 1, stdout: '', stderr: expect.stringMatching(/point-in-time recovery \(pgBackRest, .*\)\n$/) }
  expect(await run(['backup', copy])).toEqual(refused)
  expect(existsSync(copy)).toBe(false)
  writeFileSync(copy, 'a copy')
  expect(await run(['restore', '--force', copy])).toEqual(refused)
  expect(await firstValue(url, 'SELECT count(*)::int FROM pg_stat_user_tables')).toBe(0)
})
