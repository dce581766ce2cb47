import type { FastifyInstance } from 'fastify'
import type { Counters, DueCounts } from '../raw/raw-store.ts'
import { resource } from './resource.ts'

export interface QueueCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}

/** The state of the pipeline, as `GET /v1/status` tells it. Instants as RFC 3339 strings, counts since the store was made. */
export interface Status extends Counters, DueCounts {
  /** Null where there is no queue. */
  queue: QueueCounts | null
  devices: number
  lastRollupAt: string | null
}

/** `GET /v1/status`, `GET /healthz` (the process answers) and `GET /readyz` (store and queue answer, too). */
export function statusRoutes(app: FastifyInstance, status: () => Promise<Status>): void {
  resource(app, '/v1/status', { GET: async () => status() })
  resource(app, '/healthz', { GET: async () => ({ status: 'ok' }) })
  resource(app, '/readyz', {
    GET: async () => {
      await status()
      return { status: 'ready' }
    },
  })
}
