import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cooler } from './cli/cooler.ts'
import { CASES, check, passed, REAL, SHARED } from './helpers/checkers.ts'
import { privateRedis } from './helpers/redis.ts'
import { temporaryFolder } from './helpers/temporary-store.ts'
import { withoutRollups } from './helpers/without-rollups.ts'

/** These play many thousands of events to a service of their own. */
const PATIENCE_MS = 600_000

/** A folder of the cases in which events land after a rollup, and another rollup follows. */
function lateCases(): string {
  const folder = temporaryFolder()
  for (const name of readdirSync(`${SHARED}cases`)) {
    const file = `${SHARED}cases/${name}`
    if (name.endsWith('.json') && readFileSync(file, 'utf8').split('"rollup"').length > 2) {
      copyFileSync(file, join(folder, name))
    }
  }
  return folder
}

/** A started service on an empty store, its rollups on two threads; with `queue` the batches go through a Redis. */
async function started(queue: 'direct' | 'redis', settings: NodeJS.ProcessEnv = {}): Promise<string> {
  const env = { ...settings, ...(queue === 'redis' ? { REDIS_URL: (await privateRedis()).socket } : {}) }
  const { url } = await cooler({ ...env, COOLER_THREADS: '2' }).service(['start'], env)
  return url
}

// A queue gets the late cases and the recordings below; PostgreSQL gets all cases, too.
test.runIf(existsSync(CASES))(
  'a started service without a queue gives the figures of every case (where ../shared/cases is beside the project)',
  async () => {
    expect(await check(CASES, await started('direct'), `${SHARED}cases`)).toEqual(passed)
  },
  PATIENCE_MS,
)

test.runIf(existsSync(CASES)).each(['direct', 'redis'] as const)(
  'a started service with the queue %s gives those of late events without ever being asked for a rollup',
  async (queue) => {
    const { url, asked } = await withoutRollups(await started(queue, { COOLER_REFRESH_MINUTES: '0.002' }))
    expect(await check(CASES, url, lateCases())).toEqual(passed)
    expect(asked()).toBeGreaterThan(40)
  },
  PATIENCE_MS,
)

describe.runIf(existsSync(REAL))('the recordings of real devices (where ../shared/real is beside the project)', () => {
  test(
    'give their figures in direct mode, in whatever order they come',
    async () => {
      expect(await check(REAL, await started('direct'), '--shuffle', '7')).toEqual(passed)
    },
    PATIENCE_MS,
  )

  test(
    'give their figures through the queue, without anybody asking for a rollup',
    async () => {
      const { url } = await withoutRollups(await started('redis', { COOLER_REFRESH_MINUTES: '0.002' }))
      const names = ['fremont', 'gatecounts', 'solarplus', 'tracebase']
      expect(await check(REAL, url, ...names)).toEqual(passed)
    },
    PATIENCE_MS,
  )
})
