import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startThreads, type ThreadTask } from '../../src/base/threads.ts'

type Tasks = {
  fill: ThreadTask<undefined, void>
  exit: ThreadTask<undefined, void>
  throwLater: ThreadTask<undefined, void>
  fail: ThreadTask<undefined, void>
  hold: ThreadTask<number, number>
}

const SOURCE = `
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  export const fill = async () => { const all = []; for (;;) all.push(new Array(1000).fill({})) }
  export const exit = async () => process.exit(3)
  export const throwLater = async () => { setTimeout(() => { throw new Error('outside') }); await sleep(60_000) }
  export const fail = async () => { throw new TypeError('of its own') }
  export const hold = async (value) => { await sleep(20); return { value } }
`

/** Threads of two tasks each at most, with a small heap. */
function smallThreads(threads: number) {
  const folder = mkdtempSync(join(tmpdir(), 'dist-'))
  const file = join(folder, 'tasks.mjs')
  writeFileSync(file, SOURCE)
  const deaths: unknown[] = []
  const pool = startThreads<Tasks>(pathToFileURL(file), {
    threads,
    tasksPerThread: 2,
    data: null,
    heapMb: 16,
    onDeath: (error) => deaths.push(error),
  })
  onTestFinished(async () => {
    await pool.close()
    rmSync(folder, { recursive: true })
  })
  return { pool, deaths }
}

test.each(['fill', 'exit', 'throwLater'] as const)(
  'a thread that dies (%s) answers overloaded to those at work on it alone, and those that wait get the next thread',
  async (how) => {
    const { pool, deaths } = smallThreads(1)
    const dying = pool.run(how, undefined)
    const waiting = [1, 2, 3, 4].map((value) => pool.run('hold', value))
    await expect(dying).rejects.toMatchObject({ code: 'overloaded', status: 503, retryable: true })
    const outcomes = await Promise.allSettled(waiting)
    // One of them may have been on the thread that died.
    for (const outcome of outcomes.slice(0, 1)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'overloaded' })
    }
    expect(outcomes.slice(1).map((outcome) => outcome.status === 'fulfilled' && outcome.value)).toEqual([2, 3, 4])
    expect(deaths.length).toBeGreaterThan(0)
    await expect(pool.run('hold', 5)).resolves.toBe(5)
  },
)

test('an error of a task stays its own', async () => {
  const { pool, deaths } = smallThreads(1)
  await expect(pool.run('fail', undefined)).rejects.toThrow(/of its own/)
  expect(deaths).toEqual([])
})
