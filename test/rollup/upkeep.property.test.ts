import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import { checkUpkeep } from './check-upkeep.ts'

test('any landings, rollups, compactions, prunings, moves, erasures and restarts end in the figures of the plain reference', () =>
  checkUpkeep(() => {
    const folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
    return {
      open: async () => openSqliteStore({ location: join(folder, 'store.sqlite'), rejectsKept: 10 }),
      remove: () => rmSync(folder, { recursive: true }),
    }
  }))
