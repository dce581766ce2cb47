import type { FastifyInstance } from 'fastify'
import type { QueueCounts } from '../../queue/queue-counts.ts'
import type { Counters, DueCounts } from '../../store/raw-store.ts'
import { allow, OPEN, READ_ALL } from './access.ts'
import { resource } from './resource.ts'

/** The state of the pipeline, as `GET /v1/status` tells it. Instants as RFC 3339 strings, counts since the store was made. */
export interface Status extends Counters, Omit<DueCounts, 'oldestDueAt'> {
  /** Null where there is no queue. */
  queue: QueueCounts | null
  devices: number
  lastRollupAt: string | null
  /** Days that had closed by then are settled, as far as their events had come; null before the first rollup. */
  lastCloseAt: string | null
  /** Seconds since the last rollup, while something is due; 0 while nothing is. */
  lagSeconds: number
  /** Of the oldest event that no rollup has taken up yet; null without one. */
  oldestDueAt: string | null
}

/** `GET /v1/status`, `GET /healthz` (the process answers) and `GET /readyz` (`ready`: store and queue do their work). */
export function statusRoutes(app: FastifyInstance, status: () => Promise<Status>, ready: () => Promise<unknown>): void {
  resource(app, '/v1/status', { GET: allow(READ_ALL, async () => status()) })
  resource(app, '/healthz', { GET: allow(OPEN, async () => ({ status: 'ok' })) })
  const look = onceASecond(ready)
  resource(app, '/readyz', {
    GET: allow(OPEN, async () => {
      await look()
      return { status: 'ready' }
    }),
  })
}

/** What is open to everybody must cost the same however often it is asked. */
function onceASecond<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; answer: Promise<Result> } | null = null
  return () => {
    const now = performance.now()
    if (last === null || now - last.at >= 1000) last = { at: now, answer: ask() }
    return last.answer
  }
}
