// The two engines as the bench opens them, and how work on either is measured.
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openStore } from '../../../dist/src/store/open-store.js'
import { ask } from './server.mjs'

setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc')

export const SQLITE = 'SQLite'
export const POSTGRES = 'PostgreSQL'

/** A fresh place for a store of SQLite. */
export function sqlite(work) {
  let stores = 0
  return {
    name: SQLITE,
    async newLocation() {
      const folder = join(work, `sqlite-${++stores}`)
      mkdirSync(folder)
      return join(folder, 'store.sqlite')
    },
    drop: async (location) => rmSync(dirname(location), { recursive: true }),
    settle: async () => {},
    cpuSeconds: () => 0,
    walBytes: async () => Number.NaN,
  }
}

export function postgres(server) {
  return {
    name: POSTGRES,
    newLocation: async () => server.url(await server.newDatabase()),
    drop: (location) => server.dropDatabase(new URL(location).pathname.slice(1)),
    settle: () => server.checkpoint(),
    cpuSeconds: server.cpuSeconds,
    walBytes: server.walBytes,
    /** Returns the bytes of a table with all that belongs to it, over all of its partitions. */
    tableBytes: async (location, table) =>
      Number(
        await ask(
          location,
          `SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}') WHERE isleaf`,
        ),
      ),
  }
}

export const opened = (location, more = {}) => openStore({ location, rejectsKept: 1000, ...more })

/**
 * Measures work: seconds, CPU seconds of this process (`worker`) and of the server, and bytes of the write-ahead log.
 *
 * @param settled whether memory is tidied up and all pages are written first, so that nothing that came before is counted
 */
export async function measured(engine, work, { settled = true } = {}) {
  if (settled) {
    await engine.settle()
    collectGarbage()
    await setTimeout(20)
  }
  const wal = await engine.walBytes()
  const server = engine.cpuSeconds()
  const worker = process.cpuUsage()
  const from = performance.now()
  const result = await work()
  const seconds = (performance.now() - from) / 1000
  const { user, system } = process.cpuUsage(worker)
  const took = { seconds, worker: (user + system) / 1e6, server: engine.cpuSeconds() - server }
  return { ...took, cpu: took.worker + took.server, wal: (await engine.walBytes()) - wal, result }
}
