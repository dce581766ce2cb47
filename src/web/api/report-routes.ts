import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeviceLimit } from '../../base/device-limit.ts'
import { CoolerError } from '../../base/errors.ts'
import { parseDay } from '../../base/time.ts'
import type { Reports, ReportTask } from '../../report/reports.ts'
import { allow, devicesOf, READ } from './access.ts'
import { jsonObject } from './json-body.ts'
import { sendReport } from './report-answer.ts'
import { resource } from './resource.ts'
import { refuseMisspeltSelection } from './selection.ts'

export const DAILY = '/open/cooler/open/report_device_status/daily'

/** Both ends counted (RULES.md 4). */
export const MOST_DAYS = 31

/** The two report operations (INTERFACE.md 4). */
export function reportRoutes(
  app: FastifyInstance,
  reports: Reports,
  { now, bodyLimit }: { now: () => number; bodyLimit: number },
): void {
  resource(
    app,
    DAILY,
    {
      POST: allow(READ, (request, reply) => {
        const body = jsonObject(request.body)
        const day = dayOf(body, 'day')
        const task = taskOf(
          { fromDay: day, toDay: day },
          idsOf(body, request.query as object),
          now(),
          devicesOf(request),
        )
        return sendReport(reports, 'daily', task, request, reply)
      }),
    },
    { bodyLimit, onRequest: [readAsJson] },
  )
  resource(
    app,
    `${DAILY}/summary`,
    {
      POST: allow(READ, (request, reply) => {
        const body = jsonObject(request.body)
        const task = taskOf(rangeOf(body), idsOf(body, request.query as object), now(), devicesOf(request))
        return sendReport(reports, 'summary', task, request, reply)
      }),
    },
    { bodyLimit, onRequest: [readAsJson] },
  )
}

/** The interface names no media type: the body is JSON whatever is said of it, also where that is no media type at all. */
function readAsJson({ raw }: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  raw.headers['content-type'] = 'application/json'
  done()
}

/** The epoch days of `startDay` and `endDay`. @throws CoolerError `bad-request` */
export function rangeOf(body: Record<string, unknown>): { fromDay: number; toDay: number } {
  const fromDay = dayOf(body, 'startDay')
  const toDay = dayOf(body, 'endDay')
  if (toDay < fromDay) throw new CoolerError('bad-request', 'endDay is before startDay')
  const days = toDay - fromDay + 1
  if (days > MOST_DAYS)
    throw new CoolerError('bad-request', `the range has ${days} days: at most ${MOST_DAYS}, both ends counted`)
  return { fromDay, toDay }
}

/** The epoch day of a day field. @throws CoolerError `bad-request` */
export function dayOf(body: Record<string, unknown>, field: string): number {
  const value = Object.hasOwn(body, field) ? body[field] : undefined
  const day = parseDay(value)
  if (day === null) {
    const what = value === undefined ? 'is missing' : `is ${described(value)}, not a calendar day`
    throw new CoolerError('bad-request', `${field} ${what}; write an integer YYYYMMDD`)
  }
  return day
}

/** A value in few words; of an array or object, which may be nested beyond any stack, only that it is one. */
function described(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return JSON.stringify(value).slice(0, 40)
}

/** By its fields: to put objects into each other takes a tenth of what a small report takes. */
const taskOf = (
  { fromDay, toDay }: { fromDay: number; toDay: number },
  ids: readonly string[] | null,
  now: number,
  within: DeviceLimit | null,
): ReportTask => (ids === null ? { fromDay, toDay, now, within } : { fromDay, toDay, now, within, ids })

/** Returns the selected ids, null for all. @throws CoolerError `bad-request` */
function idsOf(body: Record<string, unknown>, query: object): readonly string[] | null {
  refuseMisspeltSelection(body)
  refuseMisspeltSelection(query)
  if (Object.hasOwn(query, 'assertIds'))
    throw new CoolerError('bad-request', 'assertIds belongs into the body of this request, not into its address')
  const ids = Object.hasOwn(body, 'assertIds') ? body.assertIds : undefined
  if (ids === undefined || ids === null) return null
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) {
    throw new CoolerError('bad-request', 'assertIds must be an array of strings; leave it out for all devices')
  }
  return ids
}
