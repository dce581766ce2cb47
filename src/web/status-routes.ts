import type { FastifyInstance } from 'fastify'
import { resource } from './resource.ts'

export interface QueueCounts {
  waiting: number
  active: number
  delayed: number
  failed: number
}

/** The state of the pipeline, as `GET /v1/status` tells it. Instants as RFC 3339 strings, counts since the store was made. */
export interface Status {
  /** Null where there is no queue. */
  queue: QueueCounts | null
  landed: number
  rejected: number
  rejectedByReason: Record<string, number>
  rejectsDropped: number
  devices: number
  /** Landed groups of events (a UTC day and shard each) that no rollup has taken up yet. */
  dueSegments: number
  /** Entries for devices whose days must be computed again. */
  dueDevices: number
  lateDays: number
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
