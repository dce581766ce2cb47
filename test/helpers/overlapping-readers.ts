import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

/** Plain JavaScript: a thread of its own is given no TypeScript. */
const READER = `
const { parentPort, workerData } = require('node:worker_threads')
const Database = require(workerData.library)
const database = new Database(workerData.file, { readonly: true, timeout: 10000 })
const read = database.prepare('SELECT count(*) FROM sqlite_schema')
const begin = () => { database.exec('BEGIN'); read.get() }
begin()
parentPort.postMessage('reads')
const renew = () => { database.exec('COMMIT'); begin() }
const timer = workerData.holdMs === null ? null : setInterval(renew, workerData.holdMs)
parentPort.once('message', () => { clearInterval(timer); database.close(); parentPort.close() })
`

export interface Reader {
  /** Resolves when it has let go of the store. */
  end(): Promise<void>
}

/**
 * Reads one state of a store after the other on a thread of its own, each for `holdMs` and without a pause in between;
 * null keeps the first one. Resolves when it has the first.
 */
export async function startReader(file: string, holdMs: number | null): Promise<Reader> {
  const library = createRequire(import.meta.url).resolve('better-sqlite3')
  const worker = new Worker(READER, { eval: true, workerData: { library, file, holdMs } })
  const exit = once(worker, 'exit')
  let ended: Promise<void> | undefined
  const end = (): Promise<void> => {
    worker.postMessage('end')
    ended ??= exit.then(() => undefined)
    return ended
  }
  onTestFinished(end)
  await once(worker, 'message')
  return { end }
}
