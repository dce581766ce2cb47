// Where the time goes: the profiles that Node.js writes, summed by stage of the pipeline.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** By the file of a function, the first that fits. */
const STAGES = [
  ['scan', /^wasm:|ingest\/(scan-(?!ids)|read-batch|line-chunks|parse-at)/],
  ['check', /ingest\/(check-event|landing)/],
  ['columns', /ingest\/(scan-ids|event-batch)|raw\/(split-by-shard|segment-codec|event-columns)/],
  ['read', /rollup\/(day-events|due-plan|stored-rollups)|raw\/(event-order|sort-by-device|compact)/],
  ['fold', /rollup\//],
  ['write', /summary\//],
  ['commit', /raw\/sqlite|src\/sqlite|write-turn|better-sqlite3/],
  ['collect garbage', /^\(garbage collector\)/],
  ['start', /node_modules|node:internal\/(modules|bootstrap)/],
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
