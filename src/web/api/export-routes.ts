import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Reports } from '../../report/reports.ts'
import { allow, devicesOf, READ } from './access.ts'
import { sendReport } from './report-answer.ts'
import { dayOf, rangeOf } from './report-routes.ts'
import { resource } from './resource.ts'
import { refuseMisspeltSelection } from './selection.ts'

/**
 * `GET /v1/reports/daily` and `GET /v1/reports/summary`: both reports by address alone, for what cannot POST, such as
 * links and spreadsheets; `format` as in the two report operations.
 */
export function exportRoutes(app: FastifyInstance, reports: Reports, now: () => number): void {
  resource(app, '/v1/reports/daily', {
    GET: allow(READ, (request, reply) => {
      const fields = fieldsOf(request)
      const day = dayOf(fields, 'day')
      const task = { fromDay: day, toDay: day, now: now(), within: devicesOf(request), ...idsOf(request) }
      return sendReport(reports, 'daily', task, request, reply)
    }),
  })
  resource(app, '/v1/reports/summary', {
    GET: allow(READ, (request, reply) => {
      const task = { ...rangeOf(fieldsOf(request)), now: now(), within: devicesOf(request), ...idsOf(request) }
      return sendReport(reports, 'summary', task, request, reply)
    }),
  })
}

/** What is asked for, as a body would have it: what has the digits of a day is one. */
function fieldsOf({ query }: FastifyRequest): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query as Record<string, unknown>).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{8}$/.test(value) ? Number(value) : value,
    ]),
  )
}

/** `assertIds` stands there once for each device. @throws CoolerError `bad-request` */
function idsOf({ query }: FastifyRequest): { ids?: readonly string[] } {
  refuseMisspeltSelection(query as object)
  const { assertIds } = query as { assertIds?: string | string[] }
  return assertIds === undefined ? {} : { ids: [assertIds].flat() }
}
