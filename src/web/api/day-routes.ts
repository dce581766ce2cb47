import type { FastifyInstance } from 'fastify'
import { day, epochDayOf, oneOf, PAGE, pageSize } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { ExplainRequest } from '../../explain/explain-day.ts'
import type { Explanation } from '../../explain/explanation.ts'
import { parseCursor } from '../../explain/page.ts'
import { DAY, EXPLANATION } from '../../explain/schema/explanation.ts'
import { FIGURE_NAMES } from '../../rollup/figures/figures.ts'
import { READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { DEVICE_ID } from './schema/device.ts'
import { AFTER_READING } from './schema/reading-cursor.ts'

const EXPLAIN = {
  operationId: 'explainDay',
  tags: ['Devices'],
  summary: 'Where the figures of a day come from',
  description:
    'Folds the events of the device-day again, by the code that rolled them up, and tells all that counted: its readings in pages, power spans, states carried in and out, revisions, and whether what is stored is still what the events give.',
  access: READ,
  params: Type.Object({ id: DEVICE_ID, day: day('The local day.', DAY) }),
  querystring: Type.Object({
    figure: Type.Optional(
      oneOf('Only readings that concern this figure; all where it is left out.', FIGURE_NAMES, 'distance'),
    ),
    limit: pageSize('readings'),
    after: AFTER_READING,
  }),
  response: { 200: EXPLANATION },
  errors: [...READS_STORE, 'not-found', 'other-rules'],
} as const satisfies Statement

/** Explains a device-day, off the event loop, because many events may have to be read. */
export type ExplainDay = (request: ExplainRequest) => Promise<Explanation>

/**
 * `GET /v1/devices/{id}/days/{day}`: explains the figures of a device-day. Its readings come in pages (`limit`,
 * `after`), all of them or only those of one `figure`.
 */
export function dayRoutes(app: FastifyInstance, explainDay: ExplainDay): void {
  resource(app, '/v1/devices/:id/days/:day', {
    GET: call(EXPLAIN, async (request) => {
      const { figure = null, limit = PAGE.default, after } = request.query
      return explainDay({
        deviceId: request.params.id,
        day: epochDayOf(request.params.day),
        figure,
        limit,
        after: after === undefined ? null : parseCursor(after),
      })
    }),
  })
}
