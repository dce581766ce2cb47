import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { parseLabel } from '../../base/labels.ts'
import { PAGE } from '../../base/schema-fields.ts'
import { type Static, Type } from '../../base/typebox.ts'
import type { FleetListTask } from '../../report/fleet/fleet-page.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import { MOST_DAYS } from '../../report/report.ts'
import { callerOf, devicesOf, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { sendFile } from './report-answer.ts'
import { formatOf } from './report-format.ts'
import { rangeOf } from './report-routes.ts'
import { FLEET, FLEET_DAYS, FLEET_MAP, FLEET_PARAMETERS, FLEET_SELECTION } from './schema/fleet.ts'
import { FORM_PARAMETERS, withFiles } from './schema/report.ts'

const LIST = {
  operationId: 'listFleet',
  tags: ['Reports'],
  summary: 'The fleet on a day or in a range',
  description: `What somebody who looks after the devices asks for: their figures on a local day (\`day\`) or over a range of at most ${MOST_DAYS} (\`fromDay\` and \`toDay\`, both counted), their exceptions, labels, and where they are; sorted and filtered, in pages. A file has all devices that match, without their last fixes. Devices retired before it are left out.`,
  access: READ,
  querystring: Type.Object({
    ...FLEET_DAYS,
    ...FLEET_PARAMETERS,
    ...FORM_PARAMETERS,
  }),
  response: { 200: withFiles(FLEET) },
  errors: READS_STORE,
} as const satisfies Statement

type Query = Static<(typeof LIST)['querystring']>

const MAP = {
  operationId: 'mapFleet',
  tags: ['Reports'],
  summary: 'Where the fleet is meant to stand',
  description:
    'What a map of the fleet on a day or in a range needs: all devices that match, where each is meant to stand, and its exceptions. Where one was last is in `GET /v1/fleet`.',
  access: READ,
  querystring: Type.Object({ ...FLEET_DAYS, ...FLEET_SELECTION }),
  response: { 200: FLEET_MAP },
  errors: READS_STORE,
} as const satisfies Statement

/**
 * `GET /v1/fleet`: the devices on a day or in a range, with sums; or all of them as a file. `GET /v1/fleet/map`: where
 * they are meant to stand.
 */
export function fleetRoutes(app: FastifyInstance, reports: ReportSource, now: () => number): void {
  resource(app, '/v1/fleet', {
    GET: call(LIST, async (request, reply) => {
      const task = taskOf(request, request.query, now())
      const format = formatOf(request.query.format, request.headers.accept)
      if (format !== 'json') return fleetFile(reports, task, format, request, reply)
      const list = await reports.list(task)
      const end = task.offset + task.limit
      return reply.send({ ...list, next: end < list.matching ? end : null })
    }),
  })
  resource(app, '/v1/fleet/map', {
    GET: call(MAP, async (request) => reports.map(taskOf(request, request.query, now()))),
  })
}

async function fleetFile(
  reports: ReportSource,
  task: FleetListTask,
  format: Exclude<ReturnType<typeof formatOf>, 'json'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const withMark = (request.query as Query).bom === '1'
  const file = await reports.fleetFile({ task, format, withMark, who: callerOf(request) })
  return sendFile(reply, 'fleet', task, { format, file })
}

function taskOf(request: FastifyRequest, query: Query, now: number): FleetListTask {
  const { search, timezone, label, exception, status, unknown, daily } = query
  const { order, sort = 'id', offset = 0, limit = PAGE.default } = query
  return {
    ...daysOf(query),
    ...{ search, timezone, exception, status, unknown, daily },
    labels: label?.map((one) => parseLabel(one) as [string, string]),
    now,
    within: devicesOf(request),
    sort,
    descending: order === 'desc',
    offset,
    limit,
  }
}

/** Returns the days of a query as epoch days. @throws CoolerError `bad-request` */
function daysOf({ day, fromDay, toDay }: Query) {
  if (day !== undefined && fromDay === undefined && toDay === undefined) return rangeOf({ startDay: day, endDay: day })
  if (day === undefined && fromDay !== undefined && toDay !== undefined)
    return rangeOf({ startDay: fromDay, endDay: toDay }, 'fromDay', 'toDay')
  throw new CoolerError('bad-request', 'name either day, or both fromDay and toDay')
}
