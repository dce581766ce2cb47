import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { newWriteTurn, WriteTurn, type WriteTurnCell } from '../../../src/store/sqlite/write-turn.ts'

const COMPILED = new URL('../../../dist/src/store/sqlite/write-turn.js', import.meta.url).href

/** A thread that runs a script with a `turn`; resolves when it has said something. */
async function thread(cell: WriteTurnCell, script: string): Promise<{ worker: Worker; said: Promise<unknown> }> {
  const text = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(${JSON.stringify(COMPILED)}).then(({ WriteTurn }) => { const turn = new WriteTurn(workerData); ${script} })`
  const worker = new Worker(text, { eval: true, workerData: cell })
  onTestFinished(() => void worker.terminate())
  return { worker, said: new Promise((resolve) => worker.once('message', resolve)) }
}

test('threads take their turns one after the other', async () => {
  const cell = newWriteTurn()
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const script = `parentPort.once('message', (cells) => {
    let together = 0
    for (let index = 0; index < 5000; index++) turn.run(() => {
      if (Atomics.add(cells, 1, 1) !== 0) together++
      cells[0]++
      Atomics.sub(cells, 1, 1)
    })
    parentPort.postMessage(together)
  })`
  const threads = await Promise.all([thread(cell, script), thread(cell, script), thread(cell, script)])
  for (const { worker } of threads) worker.postMessage(shared)
  expect(await Promise.all(threads.map(({ said }) => said))).toEqual([0, 0, 0])
  expect(shared[0]).toBe(15_000)
})

test('a turn ends where its work fails, and gives what the work gives', () => {
  const turn = new WriteTurn(newWriteTurn())
  expect(() =>
    turn.run(() => {
      throw new Error('full')
    }),
  ).toThrow('full')
  expect(turn.run(() => 7)).toBe(7)
  expect(turn.run(() => undefined)).toBe(undefined)
})

test('a thread that dies in its turn keeps the others waiting for a while, not for ever', async () => {
  const cell = newWriteTurn()
  const { worker, said } = await thread(cell, `turn.run(() => { parentPort.postMessage('in'); for (;;); })`)
  await said
  await worker.terminate()
  const turn = new WriteTurn(cell)
  expect(turn.run(() => 'written')).toBe('written')
  // Who had no turn takes none away.
  expect(new Int32Array(cell)[0]).toBe(1)
})
