import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import type { ServerState } from './server-state.ts'

/** A commit of landed events, as the thread that made it reports it. */
export interface Commit {
  seconds: number
  events: number
  /** Instant (epoch ms) of its newest event; null if it has only placements. */
  newestAt: number | null
}

/** Values read for each request for the metrics. A part that cannot be read is null. */
export interface ServiceState {
  store: StoreState | null
  /** Number of jobs by state; undefined if there is no queue. */
  queue: Readonly<Record<string, number>> | null | undefined
  files: { storeBytes: number; walBytes: number; freeBytes: number | null } | null
  /** Also null where the store is a file. */
  server: ServerState | null
}

export interface StoreState {
  landed: number
  erased: number
  rejected: number
  rejectedByReason: Readonly<Record<string, number>>
  rejectsDropped: number
  devices: number
  dueSegments: number
  dueDevices: number
  lateDays: number
  /** Both in epoch ms. `oldestDueAt` is null if nothing is due, `lastRollupAt` before the first rollup. */
  oldestDueAt: number | null
  lastRollupAt: number | null
  /** Counts of messages; `oldestAt` (epoch ms) is the creation of the oldest waiting message. */
  messages: { waiting: number; failed: number; oldestAt: number | null }
}

const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const ROLLUP_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]
const AGE_BUCKETS = [1, 5, 15, 60, 300, 900, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600]
const HTTP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** All metrics of this product, in the order of the output: name, kind, help, buckets of a histogram, labels. */
export const METRICS = {
  cooler_commit_seconds: ['histogram', 'Time that a commit of landed events took.', COMMIT_BUCKETS],
  cooler_committed_events_total: ['counter', 'Events that this process has landed, repeats included.'],
  cooler_event_age_seconds: ['histogram', 'Age of the newest event of a commit when it was durable.', AGE_BUCKETS],
  cooler_rollup_seconds: ['histogram', 'Time that a rollup of all that was due took.', ROLLUP_BUCKETS],
  cooler_rolled_up_device_days_total: ['counter', 'Device-days that this process has computed.'],
  cooler_http_request_seconds: [
    'histogram',
    'Time until an answer was sent.',
    HTTP_BUCKETS,
    ['route', 'method', 'status'],
  ],
  cooler_connections_cut_total: ['counter', 'Connections that were cut or not taken.', ['reason']],
  cooler_events_landed_total: ['counter', 'Events landed since the store was made, repeats included.'],
  cooler_events_erased_total: ['counter', 'Landed events that have been erased since the store was made.'],
  cooler_events_rejected_total: ['counter', 'Events rejected since the store was made.', ['reason']],
  cooler_rejects_dropped_total: ['counter', 'Rejected events that are no longer kept, since newer ones came.'],
  cooler_devices: ['gauge', 'Devices in the registry.'],
  cooler_due_segments: ['gauge', 'Groups of landed events that no rollup has taken up yet.'],
  cooler_due_devices: ['gauge', 'Changes of placements that no rollup has taken up yet.'],
  cooler_late_days: ['gauge', 'UTC days before today with events that no rollup has taken up yet.'],
  cooler_oldest_due_event_seconds: ['gauge', 'Age of the oldest event that no rollup has taken up yet; 0 without one.'],
  cooler_rollup_lag_seconds: ['gauge', 'Time since the last rollup while something is due; 0 while nothing is.'],
  cooler_last_rollup_timestamp_seconds: ['gauge', 'When the last rollup ended, as a Unix time; 0 before the first.'],
  cooler_messages_attempted_total: [
    'counter',
    'Attempts of this process to deliver a message, by what became of each.',
    ['outcome'],
  ],
  cooler_messages_waiting: ['gauge', 'Messages that have not been delivered yet.'],
  cooler_messages_failed: ['gauge', 'Messages that were given up.'],
  cooler_oldest_message_seconds: ['gauge', 'Age of the oldest message that has not been delivered yet; 0 without one.'],
  cooler_queue_jobs: ['gauge', 'Batches in the queue.', ['state']],
  cooler_part_up: ['gauge', '1 where the store or the queue could be read for this answer, else 0.', ['part']],
  cooler_store_bytes: ['gauge', 'Size of the store: of its file, or of its database.'],
  cooler_store_wal_bytes: ['gauge', "Size of a file's write-ahead log."],
  cooler_store_free_bytes: ['gauge', 'Free space where the file of the store is.'],
  cooler_postgres_replicas: ['gauge', 'Standbys that stream from the PostgreSQL server.'],
  cooler_postgres_synchronous_replicas: ['gauge', 'Standbys that commits wait for.'],
  cooler_postgres_replication_lag_seconds: ['gauge', 'How far the slowest standby is behind; 0 without one.'],
  cooler_postgres_oldest_transaction_seconds: ['gauge', 'Age of the oldest transaction; 0 without one.'],
  cooler_postgres_excess_dead_rows: ['gauge', 'Dead rows beyond the live ones, in the table with the most; 0 if none.'],
  cooler_postgres_partition_days_ahead: [
    'gauge',
    'Days after today that have all their partitions; -1 if today lacks one.',
  ],
} as const satisfies Record<string, MetricDefinition>

type MetricDefinition =
  | readonly ['histogram', help: string, buckets: readonly number[], labels?: readonly string[]]
  | readonly ['counter' | 'gauge', help: string, labels?: readonly string[]]

export type MetricName = keyof typeof METRICS

/** The metric of each figure of a database server. */
const SERVER_METRICS = {
  replicas: 'cooler_postgres_replicas',
  synchronousReplicas: 'cooler_postgres_synchronous_replicas',
  replicationLagSeconds: 'cooler_postgres_replication_lag_seconds',
  oldestTransactionSeconds: 'cooler_postgres_oldest_transaction_seconds',
  excessDeadRows: 'cooler_postgres_excess_dead_rows',
  partitionDaysAhead: 'cooler_postgres_partition_days_ahead',
} as const satisfies Record<keyof ServerState, MetricName>

/** Returns the seconds since the last rollup, or, before the first, since the oldest due event; 0 if nothing is due. */
export function lagSeconds(
  {
    dueSegments,
    dueDevices,
    lastRollupAt,
    oldestDueAt,
  }: Pick<StoreState, 'dueSegments' | 'dueDevices' | 'lastRollupAt' | 'oldestDueAt'>,
  now: number,
): number {
  if (dueSegments + dueDevices === 0) return 0
  return Math.max(0, now - (lastRollupAt ?? oldestDueAt ?? now)) / 1000
}

/** Metrics of the process (memory, processor, event loop, garbage collection), shared by all services in it. */
let ofProcess: Registry | null = null

/** The metrics of one service, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #metrics = new Map<string, Metric>()
  readonly #read: () => Promise<ServiceState>
  readonly #now: () => number

  /** @param read returns the figures of the store, the queue and the disk; called for each answer. */
  constructor(read: () => Promise<ServiceState>, now: () => number = Date.now) {
    this.#read = read
    this.#now = now
    for (const [name, definition] of Object.entries(METRICS)) this.#metrics.set(name, this.#made(name, definition))
  }

  #made(name: string, [kind, help, ...more]: MetricDefinition): Metric {
    const registers = [this.#registry]
    if (kind === 'histogram') {
      const [buckets, labels = []] = more as [number[], string[]?]
      return new Histogram({ name, help, buckets, labelNames: labels, registers })
    }
    const labelNames = (more[0] ?? []) as string[]
    return kind === 'counter'
      ? new Counter({ name, help, labelNames, registers })
      : new Gauge({ name, help, labelNames, registers })
  }

  committed({ seconds, events, newestAt }: Commit): void {
    this.#histogram('cooler_commit_seconds').observe(seconds)
    this.#counter('cooler_committed_events_total').inc(events)
    if (newestAt !== null)
      this.#histogram('cooler_event_age_seconds').observe(Math.max(0, this.#now() - newestAt) / 1000)
  }

  attempted(outcome: string): void {
    this.#counter('cooler_messages_attempted_total').inc({ outcome })
  }

  rolledUp(seconds: number, deviceDays: number): void {
    this.#histogram('cooler_rollup_seconds').observe(seconds)
    this.#counter('cooler_rolled_up_device_days_total').inc(deviceDays)
  }

  answered(labels: { route: string; method: string; status: string }, seconds: number): void {
    this.#histogram('cooler_http_request_seconds').observe(labels, seconds)
  }

  connectionCut(reason: string): void {
    this.#counter('cooler_connections_cut_total').inc({ reason })
  }

  /** Returns the metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    this.#tell(await this.#read())
    if (ofProcess === null) {
      ofProcess = new Registry()
      collectDefaultMetrics({ register: ofProcess })
    }
    return `${await this.#registry.metrics()}\n${await ofProcess.metrics()}`
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  #tell({ store, queue, files, server }: ServiceState): void {
    this.#tellIfKnown('cooler_store_bytes', files?.storeBytes ?? null)
    this.#tellIfKnown('cooler_store_wal_bytes', files?.walBytes ?? null)
    this.#tellIfKnown('cooler_store_free_bytes', files?.freeBytes ?? null)
    for (const [field, name] of Object.entries(SERVER_METRICS) as [keyof ServerState, MetricName][])
      this.#tellIfKnown(name, server?.[field] ?? null)
    const parts = this.#gauge('cooler_part_up')
    parts.set({ part: 'store' }, store === null ? 0 : 1)
    if (store !== null) this.#tellStore(store)
    const jobs = this.#gauge('cooler_queue_jobs')
    jobs.reset()
    if (queue !== undefined) parts.set({ part: 'queue' }, queue === null ? 0 : 1)
    for (const [state, count] of Object.entries(queue ?? {})) jobs.set({ state }, count)
  }

  #tellStore(store: StoreState): void {
    const now = this.#now()
    this.#total('cooler_events_landed_total', store.landed)
    this.#total('cooler_events_erased_total', store.erased)
    this.#total('cooler_rejects_dropped_total', store.rejectsDropped)
    const rejected = this.#counter('cooler_events_rejected_total')
    rejected.reset()
    for (const [reason, count] of Object.entries(store.rejectedByReason)) rejected.inc({ reason }, count)
    this.#gauge('cooler_devices').set(store.devices)
    this.#gauge('cooler_due_segments').set(store.dueSegments)
    this.#gauge('cooler_due_devices').set(store.dueDevices)
    this.#gauge('cooler_late_days').set(store.lateDays)
    const { waiting, failed, oldestAt } = store.messages
    this.#gauge('cooler_messages_waiting').set(waiting)
    this.#gauge('cooler_messages_failed').set(failed)
    this.#gauge('cooler_oldest_message_seconds').set(oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000)
    const { oldestDueAt, lastRollupAt } = store
    this.#gauge('cooler_oldest_due_event_seconds').set(oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1000)
    this.#gauge('cooler_rollup_lag_seconds').set(lagSeconds(store, now))
    this.#gauge('cooler_last_rollup_timestamp_seconds').set((lastRollupAt ?? 0) / 1000)
  }

  /** Sets a gauge, or leaves it out of the answer: it would be 0 otherwise. */
  #tellIfKnown(name: MetricName, value: number | null): void {
    const gauge = this.#gauge(name)
    if (value === null) gauge.remove()
    else gauge.set(value)
  }

  /** Sets a counter to a total that the store counts across all processes. */
  #total(name: MetricName, value: number): void {
    const counter = this.#counter(name)
    counter.reset()
    counter.inc(value)
  }

  #histogram = (name: MetricName): Histogram => this.#metrics.get(name) as Histogram
  #counter = (name: MetricName): Counter => this.#metrics.get(name) as Counter
  #gauge = (name: MetricName): Gauge => this.#metrics.get(name) as Gauge
}
