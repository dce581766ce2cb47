import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
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
import { type DeviceStores, deviceRoutes, type PutDevice } from './device-routes.ts'
import { rejectRoutes } from './reject-routes.ts'
import { reportRoutes } from './report-routes.ts'
import { rollupRoutes } from './rollup-routes.ts'
import { type Status, statusRoutes } from './status-routes.ts'
import { telemetryRoutes } from './telemetry-routes.ts'

export interface AppParts {
  intake: Intake
  rollups: Rollups
  reports: Reports
  /** For reading. */
  stores: DeviceStores & { raw: RawStore }
  putDevice: PutDevice
  status: () => Promise<Status>
  now: () => number
  bodyLimitBytes: number
  logger: FastifyBaseLogger
}

/** No path parameter is cut off before its route can say what is wrong: a request's head ends long before this. */
const MAX_PARAM_LENGTH = 65_536

/** The HTTP application, without a socket: the caller listens, or injects requests. */
export function createApp(parts: AppParts): FastifyInstance {
  const app = fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: parts.bodyLimitBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: 'idle',
    return503OnClosing: false, // told in the envelope instead, below
    frameworkErrors: (error, _request, reply) => send(reply as FastifyReply, asAnswer(error, parts.bodyLimitBytes)),
    clientErrorHandler: refuseConnection,
  })
  // Bodies are read by their routes: the two report operations take JSON whatever the media type says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  answerWhileClosing(app)
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
  deviceRoutes(app, parts.stores, parts.putDevice, parts.now)
  rejectRoutes(app, parts.stores.raw)
  statusRoutes(app, parts.status)
  return app
}

/** What is under way is answered, what comes after it refused, and no idle connection keeps the service from ending. */
function answerWhileClosing(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onRequest', async () => {
    if (closing) throw new CoolerError('shutting-down', 'the service is shutting down: try again elsewhere, or later')
  })
  app.addHook('onResponse', async () => {
    if (closing) setImmediate(() => app.server.closeIdleConnections())
  })
}

/** What is no HTTP never becomes a request: the answer is written to its connection, which then ends. */
function refuseConnection({ code }: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = CONNECTION_FAULTS[code ?? ''] ?? [400, 'this is no HTTP request']
  const body = JSON.stringify({ status, message, data: null, code: 'bad-request' })
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nConnection: close`
  socket.end(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const CONNECTION_FAULTS: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, 'the head of the request is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
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
  return { status: 500, code: 'internal', message: 'internal error' }
}
