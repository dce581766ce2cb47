import { once } from 'node:events'
import { getPriority } from 'node:os'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'

const COMPILED = new URL('../../dist/src/base/threads.js', import.meta.url).href

/** The nice value of a thread that starts at one and then steps back. */
async function steppedBack(as: string, from: number): Promise<number> {
  const script = `
    const { getPriority, setPriority } = require('node:os')
    if (${from} > getPriority(0)) setPriority(0, ${from})
    import(${JSON.stringify(COMPILED)}).then(({ stepBack }) => {
      stepBack(${JSON.stringify(as)})
      require('node:worker_threads').parentPort.postMessage(getPriority(0))
    })`
  const worker = new Worker(script, { eval: true })
  const [priority] = await once(worker, 'message')
  await worker.terminate()
  return priority
}

describe.runIf(process.platform === 'linux')('a thread that steps back', () => {
  test('gets less time than the event loop, whose own place stays what it was', async () => {
    const own = getPriority(0)
    expect(await steppedBack('landing', 0)).toBe(Math.max(own, 5))
    expect(await steppedBack('computing', 0)).toBe(Math.max(own, 10))
    expect(getPriority(0)).toBe(own)
  })

  test('stays where it is where that is further back', async () => {
    expect(await steppedBack('computing', 15)).toBeGreaterThanOrEqual(15)
  })
})
