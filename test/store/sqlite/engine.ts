import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore, type Store } from '../../../src/store/open-store.ts'
import { temporaryFolder, temporaryStore } from '../../helpers/temporary-store.ts'
import type { Engine } from '../test-store.ts'

export const SQLITE: Engine = {
  name: 'SQLite',
  open: temporaryStore,
  connect() {
    const location = join(temporaryFolder(), 'store.sqlite')
    const open = (): Store => {
      const store = openStore({ location, rejectsKept: 10 })
      onTestFinished(() => store.close())
      return store
    }
    return [open(), open()]
  },
}
