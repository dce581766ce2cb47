import { AsyncResource } from 'node:async_hooks'
import { Queue } from 'bullmq'
import type { BatchJob, BatchResult } from '../event/batch-job.ts'
import { Backlog } from '../queue/backlog.ts'
import { ProducerError } from '../queue/producer-error.ts'
import {
  BATCH_JOB,
  hasHashTag,
  PRODUCER_QUEUE_OPTIONS,
  type QueuePlace,
  type QueueTraces,
  queuesOn,
  TELEMETRY_QUEUE,
  tracedBy,
} from '../queue/queue-contract.ts'
import {
  connectProducer,
  onConnectionError,
  type RedisClient,
  type RedisSource,
  topologyOf,
} from '../queue/redis-client.ts'
import { adviceOn, isRefusal } from '../queue/redis-refusal.ts'
import { within } from '../queue/within.ts'

export interface SenderOptions {
  connection: RedisSource
  queueName?: string | undefined
  prefix?: string | undefined
  /** Batches on their way to Redis at once; the others wait in line. */
  maxInFlightBatches: number
  /** How long a batch is retried, in ms from the call of send; 0 tries once. Each try gets at least a second. */
  retryForMs: number
  /** Number of waiting jobs at which batches are held back. */
  backlogLimit?: number | undefined
  traces?: QueueTraces | undefined
  /** Called when a connection is lost; connections are restored automatically. */
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
 * Adds batch jobs to the queue, and retries each until Redis has acknowledged it or its time is over.
 *
 * Retrying is safe even if Redis has taken the batch and only its answer was lost: the same event counts once, however
 * often it lands (RULES.md 2).
 */
export class BatchSender {
  readonly #options: SenderOptions
  readonly #redis: RedisClient
  readonly #queue: Queue<BatchJob, BatchResult>
  readonly #backlog: Backlog | undefined
  readonly #line: Delivery[] = []
  readonly #pauses = new Set<() => void>()
  #inFlight = 0
  /**
   * Batches wait at most a second for the first connection. Otherwise the first batch would fail and be retried after
   * later ones.
   */
  #opening: NodeJS.Timeout | undefined
  #closed = false
  /** Why Redis cannot be reached; undefined while it can. */
  #connectionError: Error | undefined

  /** @throws TypeError if the connection is a string but not a Redis URL, or the prefix does not suit its cluster */
  constructor(options: SenderOptions) {
    const { connection, queueName = TELEMETRY_QUEUE, prefix, backlogLimit, traces } = options
    this.#options = options
    // We make the client: if Redis is away when BullMQ's own client is closed, that client reconnects for ever.
    this.#redis = connectProducer(connection)
    onConnectionError(this.#redis, (error) => this.#connectionLost(error))
    this.#redis.on('ready', () => this.#connectionRestored())
    this.#opening = setTimeout(() => this.#open(), LEAST_ATTEMPT_MS)
    const place = placeOf(this.#redis, queueName, prefix)
    this.#queue = new Queue(queueName, { ...PRODUCER_QUEUE_OPTIONS, ...tracedBy(traces), ...place })
    this.#queue.on('error', () => {}) // BullMQ needs a listener; it repeats the client's errors, handled above.
    if (backlogLimit !== undefined) this.#backlog = new Backlog(() => this.#queue.getWaitingCount(), backlogLimit)
  }

  /**
   * Sends a batch; resolves when Redis has acknowledged it. Batches go in the order of the calls, several at once. A
   * retried batch may arrive after later ones, which is harmless: nothing depends on the order of arrival.
   *
   * @throws ProducerError `queue-unavailable`, `queue-full`, `queue-refused`
   */
  send(data: BatchJob): Promise<void> {
    // Otherwise a waiting batch would be traced under the batch whose end makes room for it.
    const attempt = AsyncResource.bind(() => this.#attempt(data))
    return new Promise((resolve, reject) => {
      this.#line.push({ attempt, since: performance.now(), resolve, reject })
      this.#next()
    })
  }

  /** Closes the connection. Batches still on their way or in line fail. */
  async close(): Promise<void> {
    this.#closed = true
    this.#open()
    for (const wake of this.#pauses) wake()
    await this.#queue.close()
    // QUIT is optional: it cannot be sent while Redis is away, and may get no answer.
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

  /** Resolves after `ms`, or as soon as the connection is restored or closed. */
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

function placeOf(redis: RedisClient, queueName: string, prefix: string | undefined): QueuePlace {
  const place = queuesOn(redis)
  if (prefix === undefined) return place
  if (topologyOf(redis) !== 'cluster' || hasHashTag(`${prefix}:${queueName}`)) return { ...place, prefix }
  redis.disconnect()
  throw new TypeError(
    `on a Redis Cluster the prefix needs a hash tag, such as {${prefix}}, for all keys to be in one slot`,
  )
}

function refused(cause: Error): ProducerError {
  const advice = adviceOn(cause) ?? 'check user, password and rights of the connection'
  const message = `Redis refuses the batch: ${cause.message}: ${advice}`
  return new ProducerError('queue-refused', message, { cause })
}

function gaveUp(cause: Error, afterMs: number): ProducerError {
  if (cause instanceof ProducerError) return cause
  const fault = `Redis has not acknowledged the batch within ${Math.round(afterMs)} ms: ${cause.message}`
  return new ProducerError('queue-unavailable', `${fault}: ${adviceOn(cause) ?? 'send it again later'}`, { cause })
}
