import { join } from 'node:path'
import { test } from 'vitest'
import { temporaryFolder } from '../helpers/temporary-store.ts'
import { withDatabase } from '../helpers/with-database.ts'
import { PASS, requireDelivered } from './outbox.ts'

test('messages arrive, each at least once and none with another content, though everything is killed meanwhile', {
  timeout: 120_000,
}, async () => {
  const location = join(temporaryFolder(), 'store.sqlite')
  await requireDelivered({
    location,
    async pass() {
      withDatabase(location, (database) => database.exec(PASS))
    },
  })
})
