import { MAX_BATCH_EVENTS } from '../event/telemetry-event.ts'
import { ProducerError } from '../queue/producer-error.ts'
import type { ProducerOptions } from './producer-options.ts'

type Bounded = 'maxBatchEvents' | 'maxBatchAgeMs' | 'maxInFlightBatches' | 'maxBufferedEvents' | 'retryForMs'

export type ProducerSettings = Record<Bounded, number> & { backlogLimit: number | undefined }

/** Default and bounds of each numeric option; all are integers. */
export const PRODUCER_NUMBERS = {
  maxBatchEvents: { default: 500, min: 1, max: MAX_BATCH_EVENTS },
  maxBatchAgeMs: { default: 1000, min: 0, max: 3_600_000 },
  maxInFlightBatches: { default: 4, min: 1, max: 64 },
  maxBufferedEvents: { default: 50_000, min: 1, max: 10_000_000 },
  retryForMs: { default: 60_000, min: 0, max: 86_400_000 },
} as const satisfies Record<Bounded, { default: number; min: number; max: number }>

const BACKLOG_BOUNDS = { min: 1, max: 1_000_000_000 }

/** Checks options and fills in defaults. @throws ProducerError `bad-option` that names the option, value and bounds */
export function producerSettings(options: ProducerOptions): ProducerSettings {
  const number = (name: Bounded): number =>
    whole(name, options[name] ?? PRODUCER_NUMBERS[name].default, PRODUCER_NUMBERS[name])
  const { backlogLimit } = options
  const settings = {
    maxBatchEvents: number('maxBatchEvents'),
    maxBatchAgeMs: number('maxBatchAgeMs'),
    maxInFlightBatches: number('maxInFlightBatches'),
    maxBufferedEvents: number('maxBufferedEvents'),
    retryForMs: number('retryForMs'),
    backlogLimit: backlogLimit === undefined ? undefined : whole('backlogLimit', backlogLimit, BACKLOG_BOUNDS),
  }
  const { maxBufferedEvents, maxBatchEvents } = settings
  if (maxBufferedEvents >= maxBatchEvents) return settings
  const message = `maxBufferedEvents is ${maxBufferedEvents}: it must be at least maxBatchEvents, ${maxBatchEvents}`
  throw new ProducerError('bad-option', message)
}

function whole(name: string, value: number, { min, max }: { min: number; max: number }): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new ProducerError('bad-option', `${name} is ${value}: it must be a whole number from ${min} to ${max}`)
}
