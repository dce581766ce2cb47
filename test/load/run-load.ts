import { monitorEventLoopDelay } from 'node:perf_hooks'
import { cooler } from '../cli/cooler.ts'
import { seededRandom } from '../helpers/random.ts'
import { openClient } from './client.ts'
import { drive } from './lane.ts'
import { lanesOf } from './lanes.ts'
import type { Latencies } from './latencies.ts'
import { makeStore, type StoreSize } from './loaded-store.ts'

export interface LoadOptions extends StoreSize {
  seconds: number
  /** Names of the requests that are sent. */
  only: RegExp
}

export interface LoadResult {
  latencies: Map<string, Latencies>
  /** How much later than told the client itself was, which is in all latencies: p99 and most, in ms. */
  clientDelay: { p99: number; most: number }
  /** Exit code of the service after SIGTERM, and what it logged as an error. */
  ended: { code: number | null; errors: string[] }
}

const RESOLUTION_MS = 5
/** The warm-up is this part of the time that is measured. */
const WARM_UP_PARTS = 6
const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)

/** The client is this process, the service one of its own. */
export async function runLoad({ seconds, only, ...size }: LoadOptions): Promise<LoadResult> {
  const program = cooler({ COOLER_THREADS: '0', LOG_LEVEL: 'info' })
  const fleet = await makeStore(program, size)
  const service = await program.service(['start'])
  const client = openClient(service.url)
  const lanes = lanesOf(fleet, seededRandom(size.seed)).filter(({ name }) => only.test(name))
  // Threads start when they are first needed, code is compiled when it has run for a while, and a service that starts
  // rolls up what has become due: what that takes is no matter of load.
  for (const lane of lanes) await drive(client, { ...lane, everyMs: 0 }, performance.now() + 1)
  const warmUntil = performance.now() + (seconds * 1000) / WARM_UP_PARTS
  await Promise.all(lanes.map((lane) => drive(client, lane, warmUntil)))
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const until = performance.now() + seconds * 1000
  const all = await Promise.all(lanes.map((lane) => drive(client, lane, until)))
  delay.disable()
  client.close()
  service.child.kill('SIGTERM')
  const { code, stderr } = await service.outcome
  return {
    latencies: new Map(lanes.map(({ name }, index) => [name, all[index]])),
    clientDelay: { p99: late(delay.percentile(99)), most: late(delay.max) },
    ended: { code, errors: stderr.split('\n').filter((line) => /"level":[56]0/.test(line)) },
  }
}
