import { expect, onTestFinished, test } from 'vitest'
import { openPipeline, type Pipeline } from '../../src/service/pipeline.ts'
import { visitors } from '../helpers/events.ts'
import { testConfig } from '../helpers/temporary-service.ts'

const DEVICES = 60

/** Workers on one store. */
async function workers(count: number): Promise<Pipeline[]> {
  const config = testConfig()
  const all: Pipeline[] = []
  for (let number = 0; number < count; number++) {
    const pipeline = await openPipeline(config)
    onTestFinished(() => pipeline.close())
    all.push(pipeline)
  }
  return all
}

test('workers that refresh as of one instant do each shard once, whatever lands meanwhile, and all of it later', async () => {
  const all = await workers(3)
  const [{ ingest, now, reader }] = all
  const at = now()
  const land = (): Promise<unknown> =>
    ingest.run('land', { events: Array.from({ length: DEVICES }, (_, nth) => visitors(`cooler-${nth}`, 1, at - 1000)) })
  await land()
  const refresh = async (instant: number): Promise<number> => {
    const results = await Promise.all(
      all.map(({ runner }) => runner.run({ now: instant, refresh: true, isShared: true })),
    )
    return results.reduce((sum, { deviceDays }) => sum + deviceDays, 0)
  }
  expect(await refresh(at)).toBe(DEVICES)
  await land() // Repeats, which are due all the same.
  expect(await refresh(at)).toBe(0)
  expect((await reader.due.counts(at)).dueSegments).toBeGreaterThan(0)
  expect(await refresh(at + 1)).toBe(DEVICES)
  expect((await reader.due.counts(at)).dueSegments).toBe(0)
})
