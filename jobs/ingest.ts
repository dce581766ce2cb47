import { type Job, RateLimitError, UnrecoverableError } from 'bullmq'
import { CoolerError, type ErrorCode } from '../src/base/errors.ts'
import type { BatchJob, BatchResult } from '../src/event/batch-job.ts'
import { readImportNote } from '../src/event/import-note.ts'
import type { IncomingBatch, LandingResult } from '../src/ingest/landing.ts'
import { shallow } from '../src/ingest/packed/queue-line.ts'
import type { Patience } from './patience.ts'

export type Land = (batch: IncomingBatch) => Promise<LandingResult>

/** Errors that are not the batch's fault: no batch can land while such an error lasts, and all can once it is over. */
const STORE_FAULTS = new Set<ErrorCode>(['store-busy', 'store-full', 'store-gone', 'store-damaged', 'store-too-new'])

/**
 * Lands one batch of the telemetry queue; the job is done when its events are durable. A job that is not a valid batch
 * fails at once and is not retried.
 *
 * While the store cannot be written, the worker keeps the job and tries it again without limit. This costs no attempt,
 * and stops the worker from taking further jobs, since it holds only a limited number. `onWaiting` is called for each
 * failed try. When the worker closes, `patience` ends and the job is given back.
 */
export const ingest =
  (land: Land, patience: Patience, onWaiting: (error: Error) => void) =>
  async (job: Job<BatchJob>): Promise<BatchResult> => {
    for (let failures = 1; ; failures++) {
      try {
        const { landed, rejected } = await landNested(land, batchOf(job.data))
        return { landed, rejected }
      } catch (error) {
        if (!(error instanceof CoolerError)) throw error
        // For example a thread that died: this batch, or another one on that thread, may have been too much for it.
        if (error.retryable && !STORE_FAULTS.has(error.code)) throw error
        if (!STORE_FAULTS.has(error.code)) throw new UnrecoverableError(`${error.code}: ${error.message}`)
        onWaiting(error)
      }
      // On this error BullMQ returns the job to the head of the line and counts no attempt. No rate limit is involved.
      if (!(await patience.pause(failures))) throw new RateLimitError()
    }
  }

/** Lands a batch. Events nested some thousand levels deep overflow the stack (RangeError), so they are made shallow. */
async function landNested(land: Land, batch: IncomingBatch): Promise<LandingResult> {
  try {
    return await land(batch)
  } catch (error) {
    if (!(error instanceof RangeError && 'events' in batch && Array.isArray(batch.events))) throw error
    return land({ ...batch, events: batch.events.map(shallow) })
  }
}

/** Reads the batch from the data of a job, which may come from any producer. @throws CoolerError `bad-request` */
export function batchOf(data: unknown): IncomingBatch {
  const { events, ndjson, packed, receivedAt, ...more } = (
    typeof data === 'object' && data !== null ? data : {}
  ) as Record<string, unknown>
  const received = {
    ...(typeof receivedAt === 'number' ? { receivedAt } : {}),
    ...(more.import === undefined ? {} : { import: readImportNote(more.import) }),
  }
  const lines = typeof ndjson === 'string' ? Buffer.from(ndjson) : null
  if (typeof packed === 'string') {
    return { packed: Buffer.from(packed, 'base64'), lines: lines ?? Buffer.alloc(0), ...received }
  }
  if (lines !== null) return { ndjson: lines, ...received }
  if (Array.isArray(events)) return { events, ...received }
  throw new CoolerError('bad-request', 'a batch job holds {"events":[...]} or {"ndjson":"one event a line"}')
}
