import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { CoolerError } from '../base/errors.ts'
import { Metrics } from '../base/metrics.ts'
import type { ApiKey } from '../config/api-keys.ts'
import type { Config } from '../config/config.ts'
import type { Intake } from '../ingest/intake.ts'
import { noticesOn } from '../notify/notices-on.ts'
import type { QueueCounts } from '../queue/queue-counts.ts'
import type { Queues } from '../queue/queues.ts'
import type { Rollups } from '../rollup/rollups.ts'
import { createApp } from '../web/app.ts'
import { eraseLogged } from './erase-logged.ts'
import { logErrors } from './log-errors.ts'
import { logFindings } from './log-findings.ts'
import { logRedis } from './log-redis.ts'
import { measured, readServiceState, type Stages } from './measured.ts'
import { openTraces } from './open-traces.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'
import { descriptionSettings } from './reports-on.ts'
import { pipelineStatusOf, statusOf } from './status.ts'
import { watchStore } from './watch-store.ts'
import { requireKeys, tellWhoMayCall } from './who-may-call.ts'
import { type DirectRollup, oneAtATime, startWork, type Told } from './work.ts'

/** The start of a service, and of the workers beside it, comes first. */
const WARM_AFTER_MS = 3000

export interface ServiceOptions {
  config: Config
  logger: Logger
  /** Answers HTTP. */
  api: boolean
  /** Lands queued batches and runs the rollups that are due. */
  work: boolean
}

export interface Service {
  /** URL of the API; null if this service does not answer HTTP. */
  url: string | null
  pipeline: Pipeline
  intake: Intake
  rollups: Rollups
  /** Replaces the API keys. Use it only if the service was started with keys. */
  setApiKeys(keys: readonly ApiKey[]): void
  /** Returns the counts of the queue, or null if there is no queue. */
  queueCounts(): Promise<QueueCounts | null>
  /** Resolves when the service cannot continue because a newer program has migrated its store. */
  broken: Promise<CoolerError>
  /** Stops taking new work, finishes and commits the work in progress, and closes everything. */
  close(): Promise<void>
}

/** Starts the pipeline in this process (DESIGN.md 8). Work is called directly or, with a queue, fetched by workers. */
export async function startService({ config, logger, api, work }: ServiceOptions): Promise<Service> {
  if (api) requireKeys(config)
  const pipeline = await openPipeline(config, { onReplica: logReplica(logger) })
  const closing: (() => Promise<unknown>)[] = [() => pipeline.close()]
  const onError = logErrors(logger)
  const redis = logRedis(logger, config.redisUrl ?? '', onError)
  try {
    const traces = await openTraces(config, logger)
    const { now } = pipeline
    const queues = await openQueuesOf(config, pipeline, { logger, traces, redis })
    if (queues) closing.unshift(() => queues.close())
    const metrics = new Metrics(() => readServiceState(pipeline, queues))
    const { notifierOf } = await import('./notifier-of.ts')
    const notifier = notifierOf(config, pipeline)
    // Loading this client occupies the event loop for about a second: not while requests wait.
    if (work && config.delivery.s3 !== null) await import('../notify/senders/s3-bucket.ts')
    const stages = measured(pipeline, metrics, logger, notifier)
    const rollUp = oneAtATime(stages, now)
    const { intake, rollups } = queues ?? direct(stages, rollUp, onError)
    if (work) {
      const told = { logger, traces, redis, onError }
      closing.unshift(await startWork({ config, pipeline, stages, told }, queues ? null : rollUp))
    }
    closing.unshift(() => notifier.close()) // Before the work is stopped, which waits for what is being sent.
    let { apiKeys } = config
    const app = appOf({ config, pipeline, queues, intake, rollups, metrics, logger, apiKeys: () => apiKeys })
    closing.unshift(() => app.close())
    const broken = new Promise<CoolerError>((resolve) => {
      closing.unshift(watchStore(pipeline, { logger, onTooNew: resolve, onError }))
    })
    const url = api ? await listen(app, config, logger) : null
    if (api) closing.unshift(warmSoon(pipeline))
    const queueCounts = async () => (queues === null ? null : queues.counts())
    const setApiKeys = (keys: readonly ApiKey[]) => void (apiKeys = keys)
    return { url, pipeline, intake, rollups, setApiKeys, queueCounts, broken, close: () => inOrder(closing) }
  } catch (error) {
    await inOrder(closing)
    throw error
  }
}

interface AppOf {
  config: Config
  pipeline: Pipeline
  queues: Queues | null
  intake: Intake
  rollups: Rollups
  metrics: Metrics
  logger: Logger
  apiKeys: () => readonly ApiKey[] | null
}

/** Makes the HTTP application of a service. */
function appOf({ config, pipeline, queues, logger, ...parts }: AppOf): FastifyInstance {
  const { requestsPerMinute } = config
  const { now } = pipeline
  return createApp({
    ...parts,
    reports: pipeline.reports,
    stores: pipeline.reader,
    putDevice: (put) => pipeline.ingest.run('putDevice', put),
    forgetRejects: (ids) => pipeline.ingest.run('forgetRejects', ids),
    explainDay: (request) => pipeline.explain.run('explain', request),
    readReadings: (request) => pipeline.explain.run('readings', request),
    writeNotices: noticesOn(pipeline.notify),
    erase: (request) => eraseLogged(pipeline.eraser, request, { now: now() }, logger),
    status: () => statusOf(config, pipeline, queues),
    ready: () => Promise.all([pipelineStatusOf(config, pipeline, queues), queues?.requireWritable()]),
    queueBoard: queues && (() => queues.board()),
    now,
    bodyLimitBytes: config.bodyLimitBytes,
    insecure: config.insecure,
    requestsPerMinute,
    takeShared: queues && requestsPerMinute ? (caller) => queues.takeTurn(caller, requestsPerMinute) : null,
    wireLimits: { connectionsPerAddress: config.connectionsPerAddress },
    mapTiles: config.mapTiles,
    description: descriptionSettings(config),
    logger,
  })
}

/** Returns a function that logs when replicas can no longer be used, and when they can be again. */
const logReplica =
  (logger: Logger) =>
  (reason: Error | null): void =>
    reason === null
      ? logger.info('reports come from COOLER_REPORT_STORE again')
      : logger.warn({ err: reason }, 'COOLER_REPORT_STORE cannot be used: reports come from COOLER_STORE')

/** Prepares large reports once the service has started; returns a function that calls it off. */
function warmSoon({ reports, now }: Pipeline): () => Promise<void> {
  const timer = setTimeout(() => void reports.warm(now()), WARM_AFTER_MS)
  return async () => clearTimeout(timer)
}

async function inOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const step of steps) await step()
}

/** BullMQ is loaded only where there is a queue: it takes longer to load than all else of a service. */
async function openQueuesOf(
  { queue, redisUrl, backlogLimit }: Config,
  { check, now }: Pipeline,
  { logger, traces, redis }: Omit<Told, 'onError'>,
): Promise<Queues | null> {
  if (queue === 'direct' || redisUrl === null) return null
  const onFindings = logFindings(logger)
  const { openQueues } = await import('../queue/queues.ts')
  return openQueues({ redis: redisUrl, ingest: check, backlogLimit, now, traces, onFindings, ...redis })
}

function direct(
  { land }: Stages,
  rollUp: DirectRollup,
  onError: (error: Error) => void,
): { intake: Intake; rollups: Rollups } {
  return {
    intake: { accept: land },
    rollups: {
      run: (days) => rollUp({ refresh: true, days }),
      // The store records what is due: if a rollup is cut short, the next one makes up for it.
      request: async (days) => void rollUp({ refresh: true, days }).catch(onError),
    },
  }
}

/** Returns the error of a failed `listen` with the setting that corrects it. */
function explained(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  const advice: Record<string, string> = {
    EADDRINUSE: 'another program listens there; set PORT to a free port (0 takes any)',
    EACCES: 'this user may not listen there; set PORT to 1024 or above',
    EADDRNOTAVAIL: 'this machine does not have that address; set HOST to one that it has',
    ENOTFOUND: 'no such host; set HOST to an address of this machine',
  }
  const what = advice[error.code ?? '']
  if (what === undefined) return error
  return new CoolerError('bad-configuration', `cannot listen on ${host}:${port} (${error.code}): ${what}`, {
    cause: error,
  })
}

/**
 * Most connections that may wait to be accepted; Linux allows as many. With the default of 511, the kernel drops some
 * in a rush of clients, health checks included, and the clients notice it only seconds later.
 */
const BACKLOG = 4096

async function listen(app: FastifyInstance, config: Config, logger: Logger): Promise<string> {
  const { host, port } = config
  const address = await app
    .listen({ host, port, backlog: BACKLOG })
    .catch((error) => Promise.reject(explained(error, config)))
  tellWhoMayCall(config, logger)
  return address.replace('[::1]', 'localhost').replace('0.0.0.0', '127.0.0.1')
}
