import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeviceLimit } from '../../base/device-limit.ts'
import { CoolerError } from '../../base/errors.ts'
import { epochDayOf } from '../../base/schema-fields.ts'
import { type Static, Type } from '../../base/typebox.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import { MOST_DAYS } from '../../report/report.ts'
import type { ReportTask } from '../../report/reports.ts'
import { devicesOf, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { sendReport } from './report-answer.ts'
import { ASSERT_IDS, DAILY_ANSWER, ONE_DAY, RANGE, REPORT_PARAMETERS, SUMMARY_ANSWER } from './schema/report.ts'
import { refuseMisspeltSelection } from './selection.ts'

export const DAILY = '/open/cooler/open/report_device_status/daily'

const READ_AS = 'What to report. Read as JSON (UTF-8) whatever the `Content-Type` says. Unknown fields are ignored.'

/** Makes an example request for one device, and one for all. */
const examples = (days: Readonly<Record<string, number>>) => ({
  some: { summary: 'One device', value: { ...days, assertIds: ['CLR-1'] } },
  all: { summary: 'All devices', value: days },
})

const REPORT_DAY = {
  operationId: 'reportDay',
  tags: ['Reports'],
  summary: 'Figures of one day',
  description:
    "The figures of each selected device on one local day: the day of the device's own time zone. A day that is not over counts up to its last rollup.",
  access: READ,
  querystring: Type.Object(REPORT_PARAMETERS),
  body: Type.Object(
    { ...ONE_DAY, assertIds: ASSERT_IDS },
    { description: READ_AS, 'x-examples': examples({ day: 20261120 }) },
  ),
  response: { 200: DAILY_ANSWER },
  errors: [...READS_STORE, 'store-behind'],
} as const satisfies Statement

const REPORT_RANGE = {
  operationId: 'reportRange',
  tags: ['Reports'],
  summary: 'Figures of a range of days',
  description: `The figures of each selected device over a range of at most ${MOST_DAYS} local days, both ends counted. Means are over all readings of the range. \`location\`, \`address\` and \`throwinDate\` are current, whatever the range.`,
  access: READ,
  querystring: Type.Object(REPORT_PARAMETERS),
  body: Type.Object(
    { ...RANGE, assertIds: ASSERT_IDS },
    { description: READ_AS, 'x-examples': examples({ startDay: 20261120, endDay: 20261126 }) },
  ),
  response: { 200: SUMMARY_ANSWER },
  errors: [...READS_STORE, 'store-behind'],
} as const satisfies Statement

/** Registers the two report operations (INTERFACE.md 4). */
export function reportRoutes(
  app: FastifyInstance,
  reports: ReportSource,
  { now, bodyLimit }: { now: () => number; bodyLimit: number },
): void {
  const options = { bodyLimit, onRequest: [readAsJson] }
  const POST = call(REPORT_DAY, (request, reply) => {
    const ids = idsOf(request)
    const day = epochDayOf(request.body.day)
    const task = taskOf({ fromDay: day, toDay: day }, ids, now(), devicesOf(request))
    return sendReport(reports, 'daily', task, request, reply)
  })
  resource(app, DAILY, { POST }, options)
  const summary = call(REPORT_RANGE, (request, reply) => {
    const ids = idsOf(request)
    const task = taskOf(rangeOf(request.body), ids, now(), devicesOf(request))
    return sendReport(reports, 'summary', task, request, reply)
  })
  resource(app, `${DAILY}/summary`, { POST: summary }, options)
}

/** Makes Fastify read every body as JSON: the interface names no media type, and a client's may not even be valid. */
function readAsJson({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  raw.headers['content-type'] = 'application/json'
  done()
}

/** Returns the epoch days of a range; `start` and `end` name its ends in the request. @throws CoolerError `bad-request` */
export function rangeOf(
  { startDay, endDay }: { startDay: number; endDay: number },
  start = 'startDay',
  end = 'endDay',
): { fromDay: number; toDay: number } {
  const fromDay = epochDayOf(startDay)
  const toDay = epochDayOf(endDay)
  if (toDay < fromDay) throw new CoolerError('bad-request', `${end} is before ${start}`)
  const days = toDay - fromDay + 1
  if (days > MOST_DAYS)
    throw new CoolerError('bad-request', `the range has ${days} days: at most ${MOST_DAYS}, both ends counted`)
  return { fromDay, toDay }
}

/** Written field by field: object spread costs 10 % of a small report here. */
const taskOf = (
  { fromDay, toDay }: { fromDay: number; toDay: number },
  ids: readonly string[] | null,
  now: number,
  within: DeviceLimit | null,
): ReportTask => (ids === null ? { fromDay, toDay, now, within } : { fromDay, toDay, now, within, ids })

/** Returns the selected ids, null for all. @throws CoolerError `bad-request` */
function idsOf({ body, query }: { body: { assertIds?: Static<typeof ASSERT_IDS> }; query: object }): string[] | null {
  refuseMisspeltSelection(body)
  refuseMisspeltSelection(query)
  if (Object.hasOwn(query, 'assertIds'))
    throw new CoolerError('bad-request', 'assertIds belongs into the body of this request, not into its address')
  return body.assertIds ?? null
}
