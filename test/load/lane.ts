import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask, Client, Given } from './client.ts'
import { emptyLatencies, type Latencies } from './latencies.ts'

/** One kind of request, and how often it is sent. */
export interface Lane {
  name: string
  /** One is due every so often; 0: the next one when the last has been answered. */
  everyMs: number
  /** Most under way at once; what is due meanwhile waits, and its waiting counts. */
  most: number
  ask: () => Ask
  /** What is wrong with an answer; null where nothing is. */
  fault: (given: Given) => string | null
}

/**
 * Sends the requests of a lane until `until` (as performance.now() tells). A latency is counted from the instant at
 * which its request was due, so that a server that stands still shows in all of those that it kept waiting.
 */
export async function drive(client: Client, lane: Lane, until: number): Promise<Latencies> {
  const latencies = emptyLatencies()
  const underWay = new Set<Promise<void>>()
  for (let due = performance.now(); due < until; due = lane.everyMs > 0 ? due + lane.everyMs : performance.now()) {
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    if (underWay.size >= lane.most) await Promise.race(underWay)
    const sent: Promise<void> = send(client, lane, due, latencies).finally(() => underWay.delete(sent))
    underWay.add(sent)
  }
  await Promise.all(underWay)
  return latencies
}

async function send(client: Client, { ask, fault }: Lane, due: number, latencies: Latencies): Promise<void> {
  const wrong = await client.ask(ask()).then(fault, (error: Error & { code?: string }) => error.code ?? error.message)
  latencies.milliseconds.push(performance.now() - due)
  if (wrong !== null) latencies.errors.set(wrong, (latencies.errors.get(wrong) ?? 0) + 1)
}
