import type { IncomingBatch, LandingResult } from './landing.ts'

/**
 * Takes batches in: lands them at once, or checks them and puts them into the queue. Either way `accept` resolves when
 * the good events are durable, and rejects with a CoolerError if they could not be made durable.
 */
export interface Intake {
  accept(batch: IncomingBatch): Promise<LandingResult>
}
