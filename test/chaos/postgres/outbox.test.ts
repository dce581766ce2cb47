import { onTestFinished, test } from 'vitest'
import { withClient } from '../../helpers/postgres-database.ts'
import { startRedisServer } from '../../helpers/redis-server.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { PASS, requireDelivered } from '../outbox.ts'

test('with PostgreSQL and a queue messages arrive, each at least once, though everything is killed meanwhile', {
  timeout: 300_000,
}, async () => {
  const location = await temporaryDatabase()
  const redis = await startRedisServer()
  onTestFinished(redis.stop)
  await requireDelivered({
    location,
    settings: { REDIS_URL: redis.socket, COOLER_QUEUE: 'redis' },
    async pass() {
      await withClient(location, (client) => client.query(PASS))
    },
  })
})
