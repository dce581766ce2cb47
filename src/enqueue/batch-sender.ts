import { AsyncResource } from 'node:async_hooks'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import type { BatchJob, BatchResult } from '../event/batch-job.ts'
import { Backlog } from '../queue/backlog.ts'
import { ProducerError } from '../queue/producer-error.ts'
import {
  BATCH_JOB,
  PRODUCER_QUEUE_OPTIONS,
  producerConnection,
  type QueueTraces,
  type RedisSource,
  TELEMETRY_QUEUE,
  tracedBy,
} from '../queue/queue-contract.ts'
import { isRefusal } from '../queue/redis-refusal.ts'
import { within } from '../queue/within.ts'

export interface SenderOptions {
  connection: RedisSource
  queueName?: string | undefined
  prefix?: string | undefined
  /** Batches on their way to Redis at once; the others wait in line. */
  maxInFlightBatches: number
  /** How long a batch is tried, in ms from the call of send; 0 tries once. Each try gets a second at least. */
  retryForMs: number
  /** Waiting jobs of the queue beyond which batches are held back. */
  backlogLimit?: number | undefined
  traces?: QueueTraces | undefined
  /** Hears of lost connections, which are restored by themselves. */
  onConnectionError?: ((error: ProducerError) => void) | undefined
}

interface Delivery {
  attempt: () => Promise<void>
  /** performance.now() of the call of send. */
  since: number
  resolve: () => void
  reject: (error: ProducerError) => void
}

const LEAST_ATTEMPT_MS = 1000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000
const QUIT_MS = 1000

/**
 * Adds batch jobs to the queue, each tried again until Redis has acknowledged it or its time is over.
 *
 * Trying again is safe although Redis may have taken the batch and only its answer been lost: the same event counts
 * once, however often it lands (RULES.md 2).
 */
export class BatchSender {
  readonly #options: SenderOptions
  readonly #redis: Redis
  readonly #queue: Queue<BatchJob, BatchResult>
  readonly #backlog: Backlog | undefined
  readonly #line: Delivery[] = []
  readonly #pauses = new Set<() => void>()
  #inFlight = 0
  /**
   * Batches wait for the first connection, a second at most: tried before it is there, the first of them would be tried
   * again behind the next ones.
   */
  #opening: NodeJS.Timeout | undefined
  #closed = false
  /** Why Redis cannot be reached; undefined while it can. */
  #connectionError: Error | undefined

  /** @throws TypeError where the connection is a string and no Redis URL */
  constructor(options: SenderOptions) {
    const { connection, queueName = TELEMETRY_QUEUE, prefix, backlogLimit, traces } = options
    this.#options = options
    // A client of our own: one that BullMQ makes goes on reconnecting for ever where Redis is away when it is closed.
    this.#redis = new Redis(producerConnection(connection))
    this.#redis.on('error', (error: Error) => this.#connectionLost(error))
    this.#redis.on('ready', () => this.#connectionRestored())
    this.#opening = setTimeout(() => this.#open(), LEAST_ATTEMPT_MS)
    const given = { ...(prefix === undefined ? {} : { prefix }), ...tracedBy(traces) }
    this.#queue = new Queue(queueName, { ...PRODUCER_QUEUE_OPTIONS, ...given, connection: this.#redis })
    this.#queue.on('error', () => {}) // BullMQ wants a listener; it passes on the errors of the client, heard above.
    if (backlogLimit !== undefined) this.#backlog = new Backlog(() => this.#queue.getWaitingCount(), backlogLimit)
  }

  /**
   * Resolves when Redis has acknowledged the batch. Batches go in the order of the calls, several at once; one that is
   * tried again may come behind later ones, which is harmless: nothing depends on the order of arrival.
   *
   * @throws ProducerError `queue-unavailable`, `queue-full`, `queue-refused`
   */
  send(data: BatchJob): Promise<void> {
    // Otherwise a batch that waits in line would be in the trace of the one whose end makes room for it.
    const attempt = AsyncResource.bind(() => this.#attempt(data))
    return new Promise((resolve, reject) => {
      this.#line.push({ attempt, since: performance.now(), resolve, reject })
      this.#next()
    })
  }

  /** Closes the connection; what is still on its way or in line fails. */
  async close(): Promise<void> {
    this.#closed = true
    this.#open()
    for (const wake of this.#pauses) wake()
    await this.#queue.close()
    // QUIT is a courtesy: it cannot be sent while Redis is away, and may go unanswered.
    if (this.#redis.status === 'ready') await within(QUIT_MS, this.#redis.quit()).catch(() => {})
    this.#redis.disconnect()
  }

  #open(): void {
    clearTimeout(this.#opening)
    this.#opening = undefined
    this.#next()
  }

  #next(): void {
    if (this.#opening !== undefined) return
    while (this.#inFlight < this.#options.maxInFlightBatches) {
      const delivery = this.#line.shift()
      if (delivery === undefined) return
      this.#inFlight++
      void this.#deliver(delivery)
        .then(delivery.resolve, delivery.reject)
        .finally(() => {
          this.#inFlight--
          this.#next()
        })
    }
  }

  async #deliver({ attempt, since }: Delivery): Promise<void> {
    const left = (): number => since + this.#options.retryForMs - performance.now()
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await within(Math.max(left(), LEAST_ATTEMPT_MS), attempt())
      } catch (error) {
        const cause = this.#connectionError ?? (error as Error)
        if (isRefusal(cause)) throw refused(cause)
        if (left() <= 0 || this.#closed) throw gaveUp(cause, performance.now() - since)
        await this.#pause(Math.min(pauseMs * (0.5 + Math.random() / 2), left()))
      }
    }
  }

  async #attempt(data: BatchJob): Promise<void> {
    await this.#backlog?.enter()
    await this.#queue.add(BATCH_JOB, data)
  }

  /** Over after `ms`, or as soon as the connection is restored or closed. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#pauses.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#pauses.add(wake)
    })
  }

  #connectionLost(error: Error): void {
    this.#connectionError = error
    this.#open()
    const message = `no connection to Redis, trying again: ${error.message}`
    this.#options.onConnectionError?.(new ProducerError('queue-unavailable', message, { cause: error }))
  }

  #connectionRestored(): void {
    this.#connectionError = undefined
    this.#open()
    for (const wake of this.#pauses) wake()
  }
}

function refused(cause: Error): ProducerError {
  const message = `Redis refuses the batch: ${cause.message}: check user, password and rights of the connection`
  return new ProducerError('queue-refused', message, { cause })
}

function gaveUp(cause: Error, afterMs: number): ProducerError {
  if (cause instanceof ProducerError) return cause
  const fault = `Redis has not acknowledged the batch within ${Math.round(afterMs)} ms: ${cause.message}`
  return new ProducerError('queue-unavailable', `${fault}: send it again later`, { cause })
}
