import { millisecondsInDay } from '../../base/time.ts'
import type { BatchJob } from '../../event/batch-job.ts'
import type { CheckContext } from '../../event/check-event.ts'
import { EventBatch } from '../../event/event-batch.ts'
import type { LandingResult } from '../landing-result.ts'
import type { RawEvent } from '../read-batch.ts'
import { scanLines } from '../scan/scan-lines.ts'
import { encodeBatch } from './batch-codec.ts'
import { queueLine } from './queue-line.ts'

/** A batch as it goes into the queue, the result of its check, and its number of events, good and bad. */
export interface PackedJob {
  job: BatchJob
  result: LandingResult
  events: number
}

/**
 * Packs the events that `check` adds to a batch. Events that it rejects go along as lines, so that the worker rejects
 * them, too, and keeps them where people look for them.
 */
export function packed(check: (batch: EventBatch, onRejected: (event: RawEvent) => void) => LandingResult): PackedJob {
  const batch = new EventBatch()
  const lines: string[] = []
  const result = check(batch, (event) => lines.push(queueLine(event)))
  const ndjson = lines.length === 0 ? {} : { ndjson: lines.join('\n') }
  const job =
    batch.landed === 0 ? { ndjson: '', ...ndjson } : { packed: encodeBatch(batch).toString('base64'), ...ndjson }
  return { job, result, events: result.landed + result.rejected }
}

/**
 * Packs newline-delimited JSON for workers elsewhere, whose clocks and stores may judge old and future events
 * differently: events later than `now` (epoch ms) go as lines, and the worker checks the age of all events.
 */
export function packLines(bytes: Buffer, now: number): PackedJob {
  const context: CheckContext = { landedAt: now - millisecondsInDay, purgedBefore: Number.NEGATIVE_INFINITY }
  return packed((batch, onRejected) => scanLines(bytes, context, batch, { onRejected }))
}
