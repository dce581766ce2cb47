import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { CoolerError } from '../base/errors.ts'
import type { Metrics } from '../base/metrics.ts'
import type { MapTiles } from '../config/map-tiles.ts'
import type { PutDevice } from '../ingest/device-change.ts'
import type { Intake } from '../ingest/intake.ts'
import type { ReplayParts } from '../ingest/replay.ts'
import type { QueueBoard } from '../queue/board.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import type { ReportSource } from '../report/replicated-reports.ts'
import type { Rollups } from '../rollup/rollups.ts'
import type { NoticeReads } from '../store/notices.ts'
import type { RejectReads } from '../store/rejects.ts'
import type { Snapshot } from '../store/view.ts'
import { type AccessOptions, guardRoutes } from './api/access.ts'
import { type Answer, asAnswer, refuseConnection, SECURITY_HEADERS, send } from './api/answer.ts'
import { BytesInHand, readBodies } from './api/bytes-in-hand.ts'
import { checkCompiler } from './api/check-request.ts'
import { compressAnswers } from './api/compress.ts'
import { limitConnections } from './api/connections.ts'
import { dayRoutes, type ExplainDay } from './api/day-routes.ts'
import { deviceDaysRoutes } from './api/device-days-routes.ts'
import { deviceEventsRoutes, type ReadReadings } from './api/device-events-routes.ts'
import { type DeviceStores, deviceRoutes } from './api/device-routes.ts'
import type { Erase } from './api/erase-routes.ts'
import { exportRoutes } from './api/export-routes.ts'
import { fleetRoutes } from './api/fleet-routes.ts'
import { LabelledDevices } from './api/labelled-devices.ts'
import { messageRoutes } from './api/message-routes.ts'
import { metricsRoutes, timeAnswers } from './api/metrics-routes.ts'
import { dropRest } from './api/paced-reading.ts'
import { PRESSURE_LIMITS, type PressureLimits, shedLoad } from './api/pressure.ts'
import { queueBoardRoutes } from './api/queue-board-routes.ts'
import { rejectRoutes } from './api/reject-routes.ts'
import { reportRoutes } from './api/report-routes.ts'
import { logAnswers, overloadLog, requestFields, requestIds } from './api/request-log.ts'
import { rollupRoutes } from './api/rollup-routes.ts'
import { type Status, statusRoutes } from './api/status-routes.ts'
import { subscriptionRoutes, type WriteNotices } from './api/subscription-routes.ts'
import { telemetryRoutes } from './api/telemetry-routes.ts'
import { keepWireLimits, serverOptions, WIRE_LIMITS, type WireLimits } from './api/wire-limits.ts'
import { dashboardRoutes } from './dashboard-server/routes.ts'
import { describeRoutes } from './reference/open-api.ts'
import { referenceRoutes } from './reference/routes.ts'

export interface AppParts extends Omit<AccessOptions, 'devicesWith'> {
  intake: Intake
  rollups: Rollups
  reports: ReportSource
  /** Used for reading only. */
  stores: DeviceStores & { notices: NoticeReads; rejects: RejectReads; snapshot: Snapshot }
  /** The settings by which days are described. */
  description: DescriptionSettings
  putDevice: PutDevice
  forgetRejects: ReplayParts['forget']
  writeNotices: WriteNotices
  explainDay: ExplainDay
  readReadings: ReadReadings
  erase: Erase
  status: () => Promise<Status>
  /** Rejects with a CoolerError if the service cannot take or answer anything. Defaults to `status`. */
  ready?: () => Promise<unknown>
  metrics: Metrics
  /** Opens the page of the queues; null if there are none. */
  queueBoard: (() => Promise<QueueBoard>) | null
  now: () => number
  /** For telemetry. Other bodies are limited by BODY_BYTES as well, so never to more than this. */
  bodyLimitBytes: number
  /** Most bytes of all bodies held at once. Defaults to twice `bodyLimitBytes`, and at least 64 MiB. */
  mostBytesInHand?: number
  /** Overrides of PRESSURE_LIMITS. */
  pressureLimits?: Partial<PressureLimits>
  /** Tiles of the dashboard's map; null for none. */
  mapTiles: MapTiles | null
  logger: FastifyBaseLogger
  /** Overrides of WIRE_LIMITS. */
  wireLimits?: Partial<WireLimits>
}

/** Most bytes of a body: room for 40 000 ids in a report, 1000 placements of a device, 10 000 ids in a subscription. */
const BODY_BYTES = { report: 4 * 1024 * 1024, device: 1024 * 1024, subscription: 1024 * 1024, other: 256 * 1024 }

const LEAST_IN_HAND_BYTES = 64 * 1024 * 1024

/** Longer than any request head, so that no path parameter is cut off before its route can say what is wrong. */
const MAX_PARAM_LENGTH = 65_536

/** Makes the HTTP application, without a socket: the caller listens, or injects requests. */
export function createApp(parts: AppParts): FastifyInstance {
  const wireLimits = { ...WIRE_LIMITS, ...parts.wireLimits }
  const app = fastify({
    ...serverOptions(wireLimits),
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost 10 % of its time. The few requests that are logged are named in their lines.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIds(),
    bodyLimit: Math.min(BODY_BYTES.other, parts.bodyLimitBytes),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // answered in the envelope instead, below
    frameworkErrors: (error, _request, reply) => send(reply as FastifyReply, asAnswer(error)),
    clientErrorHandler: refuseConnection,
  })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    done()
  })
  compressAnswers(app) // Before the time that a client has to take its answer begins.
  keepWireLimits(app, wireLimits)
  limitConnections(app.server, wireLimits, (why) => parts.metrics.connectionCut(why))
  logAnswers(app)
  answerWhileClosing(app)
  shedLoad(app, { ...PRESSURE_LIMITS, ...parts.pressureLimits })
  const labelled = new LabelledDevices(parts.stores.registry)
  guardRoutes(app, { ...parts, devicesWith: (labels) => labelled.with(labels) })
  timeAnswers(app, parts.metrics)
  const inHand = new BytesInHand(parts.mostBytesInHand ?? Math.max(LEAST_IN_HAND_BYTES, 2 * parts.bodyLimitBytes))
  readBodies(app, inHand)
  const logOverload = overloadLog(parts.logger)
  app.setErrorHandler((error: FastifyError | CoolerError, request, reply) => {
    const answer = asAnswer(error)
    // Not for 413: a body over its limit may never end, so its connection is closed.
    if (answer.status !== 413) {
      reply.removeHeader('connection')
      dropRest(request.raw)
    }
    if (answer.code === 'overloaded') logOverload(error as CoolerError)
    else if (answer.status >= 500) request.log.error({ ...requestFields(request), err: error }, 'request failed')
    else if (REFUSALS.includes(answer.status)) logRefusal(request, answer)
    return send(reply, answer)
  })
  app.setNotFoundHandler((request, reply) =>
    send(reply, {
      status: 404,
      code: 'not-found',
      message: `no such path: ${request.method} ${request.url.slice(0, 200)}`,
    }),
  )
  app.setValidatorCompiler(checkCompiler)
  // Answers are sent as they are: a serializer that follows a schema would drop fields that the schema does not name.
  app.setSerializerCompiler(() => JSON.stringify)
  describeRoutes(app)
  // In a plugin of their own, because the plugin of describeRoutes sees only routes registered after it is loaded.
  app.register(async (routes) => registerRoutes(routes, parts, inHand))
  return app
}

function registerRoutes(app: FastifyInstance, parts: AppParts, inHand: BytesInHand): void {
  const { stores, reports, intake, putDevice, now, bodyLimitBytes } = parts
  const bodyBytes = (most: number): number => Math.min(most, bodyLimitBytes)
  reportRoutes(app, reports, { now, bodyLimit: bodyBytes(BODY_BYTES.report) })
  exportRoutes(app, reports, now)
  telemetryRoutes(app, intake, { inHand, bodyLimit: bodyLimitBytes })
  rollupRoutes(app, parts.rollups, parts.stores.rollups)
  deviceRoutes(app, stores, { putDevice, now, bodyLimit: bodyBytes(BODY_BYTES.device) })
  deviceDaysRoutes(app, { snapshot: stores.snapshot, now, settings: parts.description })
  fleetRoutes(app, reports, now)
  dayRoutes(app, parts.explainDay)
  deviceEventsRoutes(app, parts)
  rejectRoutes(app, { rejects: stores.rejects, intake, forget: parts.forgetRejects })
  const ofNotices = { notices: stores.notices, writeNotices: parts.writeNotices, now }
  subscriptionRoutes(app, ofNotices, bodyBytes(BODY_BYTES.subscription))
  messageRoutes(app, ofNotices)
  statusRoutes(app, parts.status, parts.ready ?? parts.status)
  metricsRoutes(app, parts.metrics)
  const hasQueues = parts.queueBoard !== null
  referenceRoutes(app, { hasQueues })
  dashboardRoutes(app, { mapTiles: parts.mapTiles, hasQueues })
  queueBoardRoutes(app, parts.queueBoard)
}

/** Statuses for callers that lack a right, or call too often. */
const REFUSALS: readonly number[] = [401, 403, 429]

/** Logs at debug level, which is off by default, so that refused callers cannot fill the log. */
function logRefusal(request: FastifyRequest, { code }: Answer): void {
  request.log.debug({ ...requestFields(request), code }, 'refused')
}

/** On closing, answers requests in progress, refuses new ones, and closes idle connections so that the service ends. */
function answerWhileClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', (_request, _reply, done) =>
    closing
      ? done(new CoolerError('shutting-down', 'the service is shutting down: try again elsewhere, or later'))
      : done(),
  )
  app.addHook('onResponse', (_request, _reply, done) => {
    if (closing) setImmediate(() => app.server.closeIdleConnections())
    done()
  })
}
