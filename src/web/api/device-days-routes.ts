import type { FastifyInstance } from 'fastify'
import { day } from '../../base/schema-fields.ts'
import { formatDay, instantOrNull } from '../../base/time.ts'
import { Type } from '../../base/typebox.ts'
import { type DescriptionSettings, deviceDays } from '../../report/device-days.ts'
import { MOST_DAYS } from '../../report/report.ts'
import type { Snapshot } from '../../store/view.ts'
import { noSuchDevice, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { rangeOf } from './report-routes.ts'
import { DEVICE_ID } from './schema/device.ts'
import { DEVICE_DAYS, FIRST } from './schema/device-days.ts'

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
    200: DEVICE_DAYS,
  },
  errors: [...READS_STORE, 'not-found'],
} as const satisfies Statement

/** `GET /v1/devices/{id}/days`: the days of a range, with their status and exceptions. */
export function deviceDaysRoutes(
  app: FastifyInstance,
  { snapshot, now, settings }: { snapshot: Snapshot; now: () => number; settings: DescriptionSettings },
): void {
  resource(app, '/v1/devices/:id/days', {
    GET: call(LIST, async ({ params: { id }, query: { fromDay, toDay } }) => {
      const range = { ...rangeOf({ startDay: fromDay, endDay: toDay }, 'fromDay', 'toDay'), now: now() }
      const days = await snapshot(async (view) => {
        const device = await view.registry.device(id)
        if (device === null) throw noSuchDevice(id)
        return deviceDays(view, device, range, settings)
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
