import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openSqliteStoreReader } from '../../src/store/sqlite/store.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Cooler, Running } from './cooler.ts'
import { eventsOf } from './in-process.ts'

/** Starts a bridge; resolves when it takes messages. */
export async function bridging(program: Cooler, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Running> {
  const running = program.spawn(['bridge', ...args], env)
  await eventually(() => running.stderr()).toMatch(/bridge takes messages/)
  return running
}

/** How many events have landed and were rejected, repeats included. */
export async function counted({ store }: Cooler): Promise<{ landed: number; rejected: number }> {
  const reader = openSqliteStoreReader({ location: store, rejectsKept: 1 })
  try {
    const { landed, rejected } = await reader.landing.counters()
    return { landed, rejected }
  } finally {
    await reader.close()
  }
}

/** Ends a bridge; resolves to its outcome. */
export const ended = async ({ child, outcome }: Running, signal: NodeJS.Signals = 'SIGTERM') => {
  child.kill(signal)
  return outcome
}

/** Writes a mapping into a file, and gives the options that name it. */
export function mappingOption({ store }: Cooler, mapping: object): string[] {
  const file = join(dirname(store), 'mapping.json')
  writeFileSync(file, JSON.stringify(mapping))
  return ['--mapping', file]
}

/** A mapping of visitor counts that have no time of their own; the device is the second level of the topic. */
export const RECEIVED_COUNTS = {
  deviceId: { topic: 1 },
  at: { received: true },
  repeatsMayCount: true,
  events: [{ type: 'visitor', count: 'n' }],
}

/** The visitors of a device: equal events count once. */
export async function visitorsOf(program: Cooler, device: string): Promise<number> {
  const events = new Set((await eventsOf(program, device)).map((event) => JSON.stringify(event)))
  return [...events].reduce((sum, line) => sum + JSON.parse(line).count, 0)
}
