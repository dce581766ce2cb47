import type { FastifyInstance } from 'fastify'
import { EXPECTED, epochDayOf } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import { devicesOf, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { sendReport } from './report-answer.ts'
import { rangeOf } from './report-routes.ts'
import { DAILY_ANSWER, ONE_DAY, RANGE, REPORT_PARAMETERS, SUMMARY_ANSWER } from './schema/report.ts'
import { refuseMisspeltSelection } from './selection.ts'

const assertIds = Type.Optional(
  Type.Array(Type.String(), {
    description:
      'Asset identifiers to report, each by a parameter of its own. Left out for all devices; one that is empty selects none.',
    examples: [['CLR-1']],
    [EXPECTED]: 'an asset identifier',
  }),
)

const SAID = {
  tags: ['Reports'],
  description: 'The report operation of the interface as a link, which a browser or a spreadsheet can open.',
  access: READ,
  errors: [...READS_STORE, 'store-behind'],
} as const

const DOWNLOAD_DAY = {
  ...SAID,
  operationId: 'downloadDay',
  summary: 'Figures of one day, as a link',
  querystring: Type.Object({ ...ONE_DAY, assertIds, ...REPORT_PARAMETERS }),
  response: { 200: DAILY_ANSWER },
} as const satisfies Statement

const DOWNLOAD_RANGE = {
  ...SAID,
  operationId: 'downloadRange',
  summary: 'Figures of a range of days, as a link',
  querystring: Type.Object({ ...RANGE, assertIds, ...REPORT_PARAMETERS }),
  response: { 200: SUMMARY_ANSWER },
} as const satisfies Statement

/**
 * `GET /v1/reports/daily` and `GET /v1/reports/summary`: both reports as plain links, for clients that cannot POST,
 * such as browsers and spreadsheets. `format` works as in the two report operations.
 */
export function exportRoutes(app: FastifyInstance, reports: ReportSource, now: () => number): void {
  resource(app, '/v1/reports/daily', {
    GET: call(DOWNLOAD_DAY, (request, reply) => {
      const day = epochDayOf(request.query.day)
      const task = { fromDay: day, toDay: day, now: now(), within: devicesOf(request), ...idsOf(request.query) }
      return sendReport(reports, 'daily', task, request, reply)
    }),
  })
  resource(app, '/v1/reports/summary', {
    GET: call(DOWNLOAD_RANGE, (request, reply) => {
      const { query } = request
      const task = { ...rangeOf(query), now: now(), within: devicesOf(request), ...idsOf(query) }
      return sendReport(reports, 'summary', task, request, reply)
    }),
  })
}

/** Returns the ids that a query selects; without `ids` it selects all devices. @throws CoolerError `bad-request` */
function idsOf(query: { assertIds?: string[] }): { ids?: readonly string[] } {
  refuseMisspeltSelection(query)
  return query.assertIds === undefined ? {} : { ids: query.assertIds }
}
