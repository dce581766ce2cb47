import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { formatDay } from '../../base/time.ts'
import type { Rollups } from '../../rollup/rollups.ts'
import { ADMIN_ALL, allow } from './access.ts'
import { jsonObject } from './json-body.ts'
import { dayOf } from './report-routes.ts'
import { resource } from './resource.ts'

/** Longest span of one request: ten years and some days. */
export const MOST_DAYS = 3_700

/** `POST /v1/rollups`: rolls local days up; with `wait: true` answers 200 when it is done, else 202. */
export function rollupRoutes(app: FastifyInstance, rollups: Rollups): void {
  resource(app, '/v1/rollups', {
    POST: allow(ADMIN_ALL, async (request, reply) => {
      const body = jsonObject(request.body)
      const days = { from: dayOf(body, 'fromDay'), to: dayOf(body, 'toDay') }
      if (days.to < days.from) throw new CoolerError('bad-request', 'toDay is before fromDay')
      if (days.to - days.from >= MOST_DAYS)
        throw new CoolerError('bad-request', `a rollup takes at most ${MOST_DAYS} days`)
      const asked = { fromDay: formatDay(days.from), toDay: formatDay(days.to) }
      if (body.wait !== undefined && typeof body.wait !== 'boolean')
        throw new CoolerError('bad-request', 'wait must be true or false')
      if (body.wait === true) {
        const { deviceDays } = await rollups.run(days)
        return reply.code(200).send({ ...asked, deviceDays })
      }
      await rollups.request(days)
      return reply.code(202).send(asked)
    }),
  })
}
