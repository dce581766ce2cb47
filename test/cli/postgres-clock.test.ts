import { expect, test } from 'vitest'
import { openPostgresStoreReader } from '../../src/store/postgres/store.ts'
import { temporaryDatabase } from '../helpers/temporary-database.ts'
import { ahead } from './ahead.ts'
import { cooler } from './cooler.ts'

const DAY = 86_400_000

test.each([
  ['90 s', 90_000],
  ['12 h', DAY / 2],
])('a machine whose clock is %s ahead changes nothing: the time is that of the database', async (_, ms) => {
  const location = await temporaryDatabase()
  const right = cooler({ COOLER_STORE: location })
  const wrong = cooler({ COOLER_STORE: location, NODE_OPTIONS: ahead(ms) })
  const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 10)
  const events = [6, 18].map((hour) => ({
    deviceId: 'a',
    at: `${yesterday}T${hour}:00:00Z`,
    type: 'visitor',
    count: 1,
  }))
  await right.run(['ingest', '-'], { input: events.map((event) => JSON.stringify(event)).join('\n') })
  const rollUp = async (program: typeof right): Promise<number> =>
    JSON.parse((await program.run(['rollup', '--json'])).stdout).deviceDays
  expect(await rollUp(right)).toBeGreaterThan(0)
  const store = await openPostgresStoreReader({ location, rejectsKept: 1 })
  const lastAt = (await store.rollups.lastRollupAt()) as number
  await rollUp(wrong)
  const later = (await store.rollups.lastRollupAt()) as number
  expect(later - lastAt).toBeLessThan(60_000)
  expect(later).toBeGreaterThanOrEqual(lastAt)
  await rollUp(right)
  const revisions = await Promise.all(
    [0, 1, 2].map((back) => store.rollups.revisions(0, Math.floor(Date.now() / DAY) - back)),
  )
  expect(revisions.flat()).toEqual([])
  await store.close()
})
