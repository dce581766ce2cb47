// Where the time goes: the profiles that Node.js writes, summed by stage of the pipeline.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** By the file of a function, the first that fits. */
const STAGES = [
  ['scan', /^wasm:|ingest\/(scan\/scan-(lines|module)|files|read-batch)|event\/parse-at/],
  ['check', /event\/(check|kept)|ingest\/landing/],
  ['columns', /ingest\/scan\/scan-ids|event\/event-batch|store\/codec\/(split|segment|narrow)|base\/arena/],
  ['read', /rollup\/(day-events|due-plan|seen|stored|rollup-memory)|event\/event-order|store\/codec\/(sort|compact)/],
  ['fold', /rollup\//],
  ['write', /store\/codec\/block|store\/(state-checksum|rollup-store)|store\/sqlite\/(rollup-store|device-states)/],
  ['commit', /store\/|better-sqlite3|base\/checksum/],
  ['collect garbage', /^\(garbage collector\)/],
  ['start', /node_modules|node:internal/],
]

/** Milliseconds by stage, of all profiles of a folder together; what waits is left out. */
export function stagesOf(folder) {
  const total = {}
  for (const name of readdirSync(folder)) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const stageOf = new Map(nodes.map(({ id, callFrame }) => [id, stage(callFrame)]))
    for (const [index, sample] of samples.entries()) {
      const name = stageOf.get(sample)
      if (name !== null) total[name] = (total[name] ?? 0) + timeDeltas[index] / 1000
    }
  }
  return Object.fromEntries(Object.entries(total).sort(([, one], [, other]) => other - one))
}

function stage({ functionName, url }) {
  if (functionName === '(idle)') return null
  const place = url === '' ? functionName : url
  return STAGES.find(([, pattern]) => pattern.test(place))?.[0] ?? 'other'
}
