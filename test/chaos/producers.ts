import { setTimeout as sleep } from 'node:timers/promises'
import { createProducer, type TelemetryEvent } from '../../src/enqueue/producer.ts'
import type { Random } from '../helpers/random.ts'
import type { Arena } from './arena.ts'
import type { Ledger } from './ledger.ts'

const DAY_MS = 86_400_000
/** Events are of this many past days: today, so that days are open, and late ones. */
const DAYS = 6
const DEVICES_OF_BATCH = 5

export interface ProducerOptions {
  name: string
  ledger: Ledger
  random: Random
  /** Whether to go on. */
  goesOn: () => boolean
}

/** Errors that a producer met, by their code or status: what was refused, or not answered. */
export type Refusals = Map<string, number>

let devices = 0

/** Events of some new devices, of so many days: today, and days before. */
export function batchOf({ name, ledger, random }: ProducerOptions, days = DAYS): TelemetryEvent[] {
  return Array.from({ length: DEVICES_OF_BATCH }, () => {
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - random.between(0, days - 1) * DAY_MS
    const day = Number(new Date(midnight).toISOString().slice(0, 10).replaceAll('-', ''))
    return ledger.open(`${name}-${devices++}`, day, midnight + random.between(0, 1000) * 1000)
  }).flat()
}

export const count = (refusals: Refusals, what: string): void => void refusals.set(what, (refusals.get(what) ?? 0) + 1)

/** Posts batches one after the other; an answer of 202 acknowledges all of one. */
export async function httpProducer(url: string, options: ProducerOptions, refusals: Refusals): Promise<void> {
  while (options.goesOn()) {
    const events = batchOf(options)
    const lines = options.random.next() < 0.5
    const body = lines ? events.map((event) => JSON.stringify(event)).join('\n') : JSON.stringify(events)
    try {
      const answer = await fetch(`${url}/v1/telemetry`, {
        method: 'POST',
        headers: { 'content-type': lines ? 'application/x-ndjson' : 'application/json' },
        body,
        signal: AbortSignal.timeout(30_000),
      })
      const { accepted } = (await answer.json()) as { accepted?: number }
      if (answer.status === 202 && accepted === events.length) options.ledger.acknowledge(events)
      else count(refusals, `HTTP ${answer.status}`)
      if (answer.status !== 202) await sleep(options.random.between(10, 200))
    } catch {
      count(refusals, 'no answer')
      await sleep(options.random.between(10, 200))
    }
  }
}

/** Sends through the producer client; what it resolves is acknowledged. */
export async function queueProducer(
  { redis }: Pick<Arena, 'redis'>,
  options: ProducerOptions,
  refusals: Refusals,
): Promise<void> {
  const producer = createProducer({ connection: redis.socket, maxBatchAgeMs: 50, retryForMs: 20_000 })
  while (options.goesOn()) {
    await producer.room()
    const events = batchOf(options)
    producer.send(events).then(
      () => options.ledger.acknowledge(events),
      (error: { code?: string }) => count(refusals, error.code ?? 'error'),
    )
    await sleep(options.random.between(5, 40))
  }
  await producer.close().catch(() => count(refusals, 'close failed'))
}
