import { type Job, UnrecoverableError } from 'bullmq'
import type { BatchJob, BatchResult } from '../src/enqueue/queue-contract.ts'
import { CoolerError } from '../src/errors.ts'
import type { IncomingBatch, LandingResult } from '../src/ingest/landing.ts'

export type Land = (batch: IncomingBatch) => Promise<LandingResult>

/**
 * Lands one batch of the telemetry queue; the job is done when its events are durable. A batch that is none can never
 * land and fails at once; what may pass (the store is busy or full) is tried again.
 */
export const ingest =
  (land: Land) =>
  async (job: Job<BatchJob>): Promise<BatchResult> => {
    try {
      const { landed, rejected } = await land(batchOf(job.data))
      return { landed, rejected }
    } catch (error) {
      if (error instanceof CoolerError && !error.retryable)
        throw new UnrecoverableError(`${error.code}: ${error.message}`)
      throw error
    }
  }

/** Whatever a producer of any language put there. @throws CoolerError `bad-request` */
function batchOf(data: unknown): IncomingBatch {
  const { events, ndjson, receivedAt } = (typeof data === 'object' && data !== null ? data : {}) as Record<
    string,
    unknown
  >
  const received = typeof receivedAt === 'number' ? { receivedAt } : {}
  if (typeof ndjson === 'string') return { ndjson: Buffer.from(ndjson), ...received }
  if (Array.isArray(events)) return { events, ...received }
  throw new CoolerError('bad-request', 'a batch job holds {"events":[...]} or {"ndjson":"one event a line"}')
}
