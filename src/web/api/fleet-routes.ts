import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { PAGE } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import { MOST_DAYS } from '../../report/report.ts'
import { devicesOf, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { rangeOf } from './report-routes.ts'
import { FLEET, FLEET_DAYS, FLEET_PARAMETERS } from './schema/fleet.ts'

const LIST = {
  operationId: 'listFleet',
  tags: ['Reports'],
  summary: 'The fleet on a day or in a range',
  description: `What somebody who looks after the devices asks for: their figures on a local day (\`day\`) or over a range of at most ${MOST_DAYS} (\`fromDay\` and \`toDay\`, both counted), their exceptions, and where they are; sorted and filtered, in pages. Devices retired before it are left out.`,
  access: READ,
  querystring: Type.Object({
    ...FLEET_DAYS,
    ...FLEET_PARAMETERS,
  }),
  response: { 200: FLEET },
  errors: READS_STORE,
} as const satisfies Statement

/** `GET /v1/fleet`: the devices on a day or in a range, with sums. */
export function fleetRoutes(app: FastifyInstance, reports: ReportSource, now: () => number): void {
  resource(app, '/v1/fleet', {
    GET: call(LIST, async (request) => {
      const {
        day: _,
        fromDay: __,
        toDay: ___,
        order,
        sort = 'id',
        offset = 0,
        limit = PAGE.default,
        ...which
      } = request.query
      const task = {
        ...daysOf(request.query),
        ...which,
        now: now(),
        within: devicesOf(request),
        sort,
        descending: order === 'desc',
        offset,
        limit,
      }
      const list = await reports.list(task)
      return { ...list, next: offset + limit < list.matching ? offset + limit : null }
    }),
  })
}

/** Returns the days of a query as epoch days. @throws CoolerError `bad-request` */
export function daysOf({ day, fromDay, toDay }: { day?: number; fromDay?: number; toDay?: number }) {
  if (day !== undefined && fromDay === undefined && toDay === undefined) return rangeOf({ startDay: day, endDay: day })
  if (day === undefined && fromDay !== undefined && toDay !== undefined)
    return rangeOf({ startDay: fromDay, endDay: toDay }, 'fromDay', 'toDay')
  throw new CoolerError('bad-request', 'name either day, or both fromDay and toDay')
}
