import { expect, test } from 'vitest'
import { startTimers } from '../../src/service/timers.ts'
import { eventually } from '../helpers/eventually.ts'

const nobody = (error: Error): void => {
  throw error
}

test('each chore runs at once, then again when it is due, whatever the others do', async () => {
  const runs = { often: 0, once: 0, stuck: 0 }
  const stop = startTimers(
    [
      { work: async () => void runs.often++, nextIn: () => 1 },
      { work: async () => void runs.once++, nextIn: () => 3_600_000 },
      {
        work: async () => {
          runs.stuck++
          await eventually(() => runs.often).toBeGreaterThan(5)
        },
        nextIn: () => 3_600_000,
      },
    ],
    nobody,
  )
  await eventually(() => runs.often).toBeGreaterThan(10)
  await stop()
  expect(runs).toMatchObject({ once: 1, stuck: 1 })
})

test('one that fails is told, and runs again', async () => {
  const told: string[] = []
  let runs = 0
  const work = async (): Promise<void> => {
    runs++
    throw new Error(`run ${runs}`)
  }
  const stop = startTimers([{ work, nextIn: () => 1 }], (error) => told.push(error.message))
  await eventually(() => runs).toBeGreaterThan(2)
  await stop()
  expect(told.slice(0, 3)).toEqual(['run 1', 'run 2', 'run 3'])
})

test('stopping waits for the run in hand, and none follows', async () => {
  const log: string[] = []
  let end = (): void => {}
  const work = async (): Promise<void> => {
    log.push('begun')
    await new Promise<void>((resolve) => {
      end = resolve
    })
    log.push('ended')
  }
  const stopped = startTimers([{ work, nextIn: () => 0 }], nobody)().then(() => log.push('stopped'))
  end()
  await stopped
  expect(log).toEqual(['begun', 'ended', 'stopped'])
})
