import type { LightMyRequestResponse as Answered, FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { expect } from 'vitest'
import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'
import { Metrics } from '../../src/base/metrics.ts'
import { noticesOn } from '../../src/notify/notices-on.ts'
import { readServiceState } from '../../src/service/measured.ts'
import { descriptionSettings } from '../../src/service/reports-on.ts'
import { type AppParts, createApp } from '../../src/web/app.ts'
import { type Settings, type TemporaryService, temporaryService } from '../helpers/temporary-service.ts'

export const DAILY = '/open/cooler/open/report_device_status/daily'
export const SUMMARY = `${DAILY}/summary`

type Answer = Promise<Answered>

export interface AppFixture {
  app: FastifyInstance
  service: TemporaryService
  get(url: string): Answer
  /** A string or bytes are the body as they are, anything else is sent as JSON. */
  post(url: string, body: unknown, headers?: Record<string, string>): Answer
  put(url: string, body: unknown): Answer
  /** Lands events, which must all be good. */
  land(events: readonly unknown[]): Promise<void>
  /** Rolls local days up, YYYYMMDD. */
  rollUp(fromDay: number, toDay?: number): Promise<void>
}

/** The application without a socket, on a pipeline and a store of its own; `parts` take the place of its parts. */
export async function appFixture(settings: Settings = {}, parts: Partial<AppParts> = {}): Promise<AppFixture> {
  const service = await temporaryService({ api: false, work: false }, settings)
  const { intake, rollups, pipeline, config } = service
  const app = createApp({
    intake,
    rollups,
    reports: pipeline.reports,
    stores: pipeline.reader,
    putDevice: (put) => pipeline.ingest.run('putDevice', put),
    forgetRejects: (ids) => pipeline.ingest.run('forgetRejects', ids),
    explainDay: (request) => pipeline.explain.run('explain', request),
    readReadings: (request) => pipeline.explain.run('readings', request),
    writeNotices: noticesOn(pipeline.notify),
    erase: (request) => pipeline.eraser.erase(request, { now: Date.now() }),
    // What service.ts tells: status-routes.test.ts asks a whole service.
    status: () => Promise.reject(new Error('not asked for here')),
    queueBoard: null,
    metrics: new Metrics(() => readServiceState(pipeline, null)),
    now: Date.now,
    bodyLimitBytes: config.bodyLimitBytes,
    apiKeys: config.apiKeys,
    insecure: config.insecure,
    requestsPerMinute: config.requestsPerMinute,
    mapTiles: config.mapTiles,
    description: descriptionSettings(config),
    logger: pino({ level: 'silent' }),
    ...parts,
  })
  const send = (method: 'POST' | 'PUT', url: string, body: unknown, headers: Record<string, string> = {}): Answer => {
    const raw = typeof body === 'string' || Buffer.isBuffer(body)
    return app.inject({ method, url, headers, payload: (raw ? body : JSON.stringify(body)) as string | Buffer })
  }
  const post = (url: string, body: unknown, headers?: Record<string, string>): Answer =>
    send('POST', url, body, headers)
  return {
    app,
    service,
    get: (url) => app.inject({ method: 'GET', url }),
    post,
    put: (url, body) => send('PUT', url, body),
    async land(events) {
      const answer = await post('/v1/telemetry', { events })
      expect(answer.json()).toEqual({ accepted: events.length, rejected: 0, rejections: [] })
    },
    async rollUp(fromDay, toDay = fromDay) {
      expect((await post('/v1/rollups', { fromDay, toDay, wait: true })).statusCode).toBe(200)
    },
  }
}

/** What no answer may tell: where the code lies, how it is called, what it asks the store. */
const INTERNALS =
  /\.[jt]s\b|node_modules|\\n +at |stack|sqlite|SELECT .* FROM|(INSERT|REPLACE) INTO|DELETE FROM|UPDATE .* SET|no such (table|column)|FST_/i

/** The error envelope of RULES.md 5, whole, with the status and code of the registry and nothing of the inside. */
export function expectError(answer: Answered, code: ErrorCode, message: RegExp = /\w/, what = ''): void {
  const { status } = ERRORS[code]
  expect(answer.statusCode, `${what} ${answer.body}`).toBe(status)
  expect(answer.headers['content-type'], what).toMatch(/^application\/json/)
  expect(answer.json(), what).toEqual({ status, message: expect.stringMatching(message), data: null, code })
  expect(answer.body, what).not.toMatch(INTERNALS)
  expect(answer.headers['retry-after'] !== undefined, what).toBe(status === 503 || status === 429)
}
