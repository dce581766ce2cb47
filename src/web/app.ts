import fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  LogController,
} from 'fastify'
import { CoolerError, type ErrorCode } from '../errors.ts'
import type { Intake } from '../ingest/intake.ts'
import type { RawStore } from '../raw/raw-store.ts'
import type { Rollups } from '../rollup/rollups.ts'
import type { Reports } from '../summary/reports.ts'
import { type DeviceStores, deviceRoutes } from './device-routes.ts'
import { rejectRoutes } from './reject-routes.ts'
import { reportRoutes } from './report-routes.ts'
import { rollupRoutes } from './rollup-routes.ts'
import { type Status, statusRoutes } from './status-routes.ts'
import { telemetryRoutes } from './telemetry-routes.ts'

export interface AppParts {
  intake: Intake
  rollups: Rollups
  reports: Reports
  stores: DeviceStores & { raw: RawStore }
  status: () => Promise<Status>
  now: () => number
  bodyLimitBytes: number
  logger: FastifyBaseLogger
}

/** Longest path parameter: a device id of 256 units, each of up to 9 percent-encoded characters. */
const MAX_PARAM_LENGTH = 256 * 9

/** The HTTP application, without a socket: the caller listens, or injects requests. */
export function createApp(parts: AppParts): FastifyInstance {
  const app = fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: parts.bodyLimitBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
  })
  // Bodies are read by their routes: the two report operations take JSON whatever the media type says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error: FastifyError | CoolerError, request, reply) => {
    const answer = asAnswer(error, parts.bodyLimitBytes)
    if (answer.status >= 500) request.log.error({ err: error }, 'request failed')
    return send(reply, answer)
  })
  app.setNotFoundHandler((request, reply) =>
    send(reply, {
      status: 404,
      code: 'not-found',
      message: `no such path: ${request.method} ${request.url.slice(0, 200)}`,
    }),
  )
  reportRoutes(app, parts.reports, parts.now)
  telemetryRoutes(app, parts.intake, parts.bodyLimitBytes)
  rollupRoutes(app, parts.rollups)
  deviceRoutes(app, parts.stores, parts.now)
  rejectRoutes(app, parts.stores.raw)
  statusRoutes(app, parts.status)
  return app
}

interface Answer {
  status: number
  code: ErrorCode
  message: string
}

/** Seconds after which a client may try again what failed for the moment. */
const RETRY_AFTER_SECONDS = 1

function send(reply: FastifyReply, { status, code, message }: Answer): FastifyReply {
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  return reply.code(status).send({ status, message, data: null, code })
}

function asAnswer(error: FastifyError | CoolerError, bodyLimitBytes: number): Answer {
  if (error instanceof CoolerError) {
    return { status: error.status, code: error.code, message: error.status === 500 ? 'internal error' : error.message }
  }
  const status = error.statusCode ?? 500
  if (status === 413)
    return {
      status,
      code: 'body-too-large',
      message: `the body is larger than ${bodyLimitBytes} bytes: send it in parts`,
    }
  if (status === 415) return { status, code: 'unsupported-media-type', message: error.message }
  if (status >= 400 && status < 500) return { status: 400, code: 'bad-request', message: error.message }
  if (status === 503) return { status, code: 'shutting-down', message: 'the server is shutting down' }
  return { status: 500, code: 'internal', message: 'internal error' }
}
