import type { IncomingBatch, LandingResult } from './landing.ts'

/**
 * Where batches go: landed at once, or checked and put into the queue. Either way it answers when the good events are
 * durable, and rejects with a CoolerError where it could not be.
 */
export interface Intake {
  accept(batch: IncomingBatch): Promise<LandingResult>
}
