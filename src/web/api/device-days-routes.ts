import type { FastifyInstance } from 'fastify'
import type { ExceptionLimits } from '../../base/exception-limits.ts'
import { day, instant, nullable, number, oneOf } from '../../base/schema-fields.ts'
import { formatDay, instantOrNull } from '../../base/time.ts'
import { Type } from '../../base/typebox.ts'
import { deviceDays } from '../../report/device-days.ts'
import { EXCEPTION_NAMES, EXCEPTIONS } from '../../report/exceptions.ts'
import { MOST_DAYS } from '../../report/report.ts'
import { figures } from '../../rollup/figures/schema.ts'
import type { Snapshot } from '../../store/view.ts'
import { noSuchDevice, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { rangeOf } from './report-routes.ts'
import { DEVICE_ID } from './schema/device.ts'

const FIRST = 20261120
const HOLDS = EXCEPTION_NAMES.map((name) => `\`${name}\`: ${EXCEPTIONS[name]}`).join('; ')

const DESCRIBED_DAY = Type.Object(
  {
    day: day('The local day.', FIRST),
    status: oneOf(
      'Not closed yet; closed; closed and changed since; `none` before the first event, and for days not rolled up yet.',
      ['provisional', 'settled', 'revised', 'none'],
      'settled',
    ),
    ...figures('of the day'),
    hoursOff: number('Time known to be off.', 'hours', 0.5, { minimum: 0 }),
    hoursUnknown: nullable(
      number('Time, so far, of which it is not known whether it was on.', 'hours', 0, { minimum: 0 }),
      'where `status` is `none`',
    ),
    lastHeardAt: nullable(
      instant('Its last event up to the end of the day, or to its last rollup.', '2026-11-20T22:58:00.000Z'),
      'before the first',
    ),
    exceptions: Type.Array(oneOf('What somebody should look at.', EXCEPTION_NAMES, 'off'), {
      description: `What somebody should look at: ${HOLDS}.`,
      examples: [['off']],
    }),
  },
  { $id: 'DeviceDay', description: 'A local day of a device, as it is stored.' },
)

const LIST = {
  operationId: 'listDeviceDays',
  tags: ['Devices'],
  summary: 'Days of a device',
  description: `The figures of each local day of a range of at most ${MOST_DAYS}, both ends counted, with whether it is settled, the hours off and unknown, and its exceptions.`,
  access: READ,
  params: Type.Object({ id: DEVICE_ID }),
  querystring: Type.Object({
    fromDay: day('First local day.', FIRST),
    toDay: day('Last local day, counted too.', FIRST),
  }),
  response: {
    200: Type.Object(
      { days: Type.Array(DESCRIBED_DAY, { description: 'Each day of the range, in order.', maxItems: MOST_DAYS }) },
      { $id: 'DeviceDays', description: 'Days of a device.' },
    ),
  },
  errors: [...READS_STORE, 'not-found'],
} as const satisfies Statement

/** `GET /v1/devices/{id}/days`: the days of a range, with their status and exceptions. */
export function deviceDaysRoutes(
  app: FastifyInstance,
  { snapshot, now, limits }: { snapshot: Snapshot; now: () => number; limits: ExceptionLimits },
): void {
  resource(app, '/v1/devices/:id/days', {
    GET: call(LIST, async ({ params: { id }, query: { fromDay, toDay } }) => {
      const range = { ...rangeOf({ startDay: fromDay, endDay: toDay }, 'fromDay', 'toDay'), now: now() }
      const days = await snapshot(async ({ registry, rollups }) => {
        const device = await registry.device(id)
        if (device === null) throw noSuchDevice(id)
        return deviceDays(rollups, device.number, range, limits)
      })
      return {
        days: days.map(({ lastHeardAt, ...one }) => ({
          ...one,
          day: formatDay(one.day),
          lastHeardAt: instantOrNull(lastHeardAt),
        })),
      }
    }),
  })
}
