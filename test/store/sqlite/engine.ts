import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Store } from '../../../src/store/open-store.ts'
import { openSqliteStore } from '../../../src/store/sqlite/store.ts'
import { temporaryFolder, temporaryStore } from '../../helpers/temporary-store.ts'
import type { Engine } from '../test-store.ts'

export const SQLITE: Engine = {
  name: 'SQLite',
  open: async (rejectsKept) => temporaryStore(rejectsKept),
  async connect() {
    const location = join(temporaryFolder(), 'store.sqlite')
    const open = (): Store => {
      const store = openSqliteStore({ location, rejectsKept: 10 })
      onTestFinished(() => store.close())
      return store
    }
    return [open(), open()]
  },
}
