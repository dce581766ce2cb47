import { type Job, RateLimitError, UnrecoverableError } from 'bullmq'
import { CoolerError, type ErrorCode } from '../src/base/errors.ts'
import type { BatchJob, BatchResult } from '../src/event/batch-job.ts'
import { readImportNote } from '../src/event/import-note.ts'
import type { IncomingBatch, LandingResult } from '../src/ingest/landing.ts'
import { shallow } from '../src/ingest/packed/queue-line.ts'
import type { Patience } from './patience.ts'

export type Land = (batch: IncomingBatch) => Promise<LandingResult>

/** No fault of the batch: as long as one of these lasts no batch can land, and when it is over every one can. */
const STORE_FAULTS = new Set<ErrorCode>(['store-busy', 'store-full', 'store-gone', 'store-damaged', 'store-too-new'])

/**
 * Lands one batch of the telemetry queue; the job is done when its events are durable. A batch that is none can never
 * land and fails at once.
 *
 * While the store cannot be written the job stays in hand and is tried again and again, however long that takes: it
 * costs no attempt, and since a worker has but so many jobs in hand it takes no more. `onWaiting` hears of each try.
 * When the worker closes, `patience` ends and the job is given back.
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
        // Such as a thread that died: this batch, or another one that it had in hand, may have been too much for it.
        if (error.retryable && !STORE_FAULTS.has(error.code)) throw error
        if (!STORE_FAULTS.has(error.code)) throw new UnrecoverableError(`${error.code}: ${error.message}`)
        onWaiting(error)
      }
      // By this error BullMQ puts a job back to the head of the line, counting no attempt; there is no limit of rates.
      if (!(await patience.pause(failures))) throw new RateLimitError()
    }
  }

/** Beyond some thousand levels nothing can be sent to a thread: a RangeError tells of a stack that overflows. */
async function landNested(land: Land, batch: IncomingBatch): Promise<LandingResult> {
  try {
    return await land(batch)
  } catch (error) {
    if (!(error instanceof RangeError && 'events' in batch && Array.isArray(batch.events))) throw error
    return land({ ...batch, events: batch.events.map(shallow) })
  }
}

/** Whatever a producer of any language put there. @throws CoolerError `bad-request` */
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
