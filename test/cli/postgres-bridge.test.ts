import { expect, test } from 'vitest'
import { manyVisitors } from '../helpers/events.ts'
import { eventually } from '../helpers/eventually.ts'
import { firstValue } from '../helpers/postgres-database.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { visitorCounts } from './backup-fixture.ts'
import { bridging, ended } from './bridge-fixture.ts'
import { cooler } from './cooler.ts'
import { mosquitto } from './mosquitto.ts'

const BATCH = 40
const MESSAGES = 10 * BATCH

test('of two bridges of one group one is killed: the other goes on, and what the first had waits for its client id', async () => {
  const [broker, url] = [await mosquitto(), await temporaryDatabase()]
  const settings = { COOLER_STORE: url }
  // Each is a machine with a folder of its own; they share the store alone.
  const [one, two, replacement] = [cooler(settings), cooler(settings), cooler(settings)]
  const args = (clientId: string) => [broker.url, '--topic', 'events', '--share-group', 'all', '--client-id', clientId]
  const events = manyVisitors(MESSAGES, 'shared-')
  const publish = (from: number): Promise<void> =>
    broker.publish('events', ...events.slice(from, from + BATCH).map((event) => JSON.stringify(event)))
  const number = async (sql: string): Promise<number> => Number(await firstValue(url, sql))
  const landed = () => number("SELECT coalesce(sum(value), 0) FROM counter WHERE name = 'landed'")
  const devices = () => number('SELECT count(*) FROM device')

  const survivor = await bridging(one, args('one'))
  const victim = await bridging(two, args('two'))
  for (let from = 0; from < MESSAGES; from += BATCH) {
    const published = publish(from)
    if (from === MESSAGES / 2) {
      await eventually(landed).toBeGreaterThan(BATCH)
      await ended(victim, 'SIGKILL')
    }
    await published
  }
  const before = await landed()
  // Mosquitto gives half of them to the session of the one that was killed all the same.
  await eventually(landed).toBeGreaterThanOrEqual(before + (MESSAGES - before) / 4)
  expect(survivor.child.exitCode).toBe(null)

  await bridging(replacement, args('two'))
  await eventually(devices).toBe(MESSAGES)
  expect(await landed()).toBeGreaterThanOrEqual(MESSAGES)
  const counts = events.map((event) => [event.deviceId, 'count' in event && event.count])
  expect(await visitorCounts(one)).toEqual(Object.fromEntries(counts))
})
