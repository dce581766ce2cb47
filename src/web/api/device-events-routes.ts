import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { instant, integer, nullable, text } from '../../base/schema-fields.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { Type } from '../../base/typebox.ts'
import type { DeviceReadings, ReadingsRequest } from '../../explain/device-readings.ts'
import { parseCursor } from '../../explain/page.ts'
import { LANDED_READING } from '../../explain/schema/parts.ts'
import { READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { type Erase, eraseCall } from './erase-routes.ts'
import { READS_STORE } from './error-answers.ts'
import { DEVICE_ID } from './schema/device.ts'
import { FROM, spanOf, TO } from './schema/instants.ts'
import { AFTER_READING, CURSOR } from './schema/reading-cursor.ts'

/** So long a span has 31 local days on any clock. */
const MOST_SPAN_DAYS = 32

/** Readings of a page: a curve takes more than a list. */
const READINGS = { default: 1000, most: 10_000 }

const LIST = {
  operationId: 'listDeviceEvents',
  tags: ['Devices'],
  summary: 'Readings of a device',
  description: `The landed readings of a device in a half-open span of at most ${MOST_SPAN_DAYS} days, in the order of their instants, in pages: what a curve is drawn from. Includes readings that no rollup has taken up yet, and repeats, which are marked; leaves out placements.`,
  access: READ,
  params: Type.Object({ id: DEVICE_ID }),
  querystring: Type.Object({
    from: FROM,
    to: TO,
    limit: Type.Optional(
      integer(`Most readings of the page; ${READINGS.default} where it is left out.`, 'readings', READINGS.default, {
        minimum: 1,
        maximum: READINGS.most,
      }),
    ),
    after: AFTER_READING,
  }),
  response: {
    200: Type.Object(
      {
        readings: Type.Array(LANDED_READING, { description: 'The readings of the page.' }),
        next: nullable(text('`after` of the next page.', CURSOR), 'on the last page'),
        purgedBefore: nullable(
          instant('Raw events before it have been deleted for their age.', '2026-11-20T00:00:00.000Z'),
          'where none of the span are',
        ),
      },
      { $id: 'DeviceEvents', description: 'A page of readings.' },
    ),
  },
  errors: [...READS_STORE, 'not-found'],
} as const satisfies Statement

/** Reads a page of readings off the event loop, because many events may have to be read. */
export type ReadReadings = (request: ReadingsRequest) => Promise<DeviceReadings>

/** `GET /v1/devices/{id}/events`: the landed readings of a span, in pages. `DELETE`: see eraseCall. */
export function deviceEventsRoutes(
  app: FastifyInstance,
  { readReadings, erase }: { readReadings: ReadReadings; erase: Erase },
): void {
  resource(app, '/v1/devices/:id/events', {
    GET: call(LIST, async ({ params, query: { from, to, limit = READINGS.default, after } }) => {
      const span = spanOf({ from, to })
      if (span.toAt - span.fromAt > MOST_SPAN_DAYS * millisecondsInDay)
        throw new CoolerError('bad-request', `from and to may be at most ${MOST_SPAN_DAYS} days apart`)
      return readReadings({
        deviceId: params.id,
        ...span,
        limit,
        after: after === undefined ? null : parseCursor(after),
      })
    }),
    DELETE: eraseCall(erase),
  })
}
