import type { FastifyInstance } from 'fastify'
import { Type } from '../../base/typebox.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import { devicesOf, READ } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE } from './error-answers.ts'
import { daysOf } from './fleet-routes.ts'
import { FLEET_DAYS, FLEET_MAP, FLEET_SELECTION } from './schema/fleet.ts'

const MAP = {
  operationId: 'mapFleet',
  tags: ['Reports'],
  summary: 'Where the fleet is meant to stand',
  description: `What a map of the fleet on a day or in a range needs: all devices that match, where each is meant to stand, and its exceptions. Where one was last is in \`GET /v1/fleet\`.`,
  access: READ,
  querystring: Type.Object({ ...FLEET_DAYS, ...FLEET_SELECTION }),
  response: { 200: FLEET_MAP },
  errors: READS_STORE,
} as const satisfies Statement

/** `GET /v1/fleet/map`: the devices with their placements, all at once. */
export function fleetMapRoutes(app: FastifyInstance, reports: ReportSource, now: () => number): void {
  resource(app, '/v1/fleet/map', {
    GET: call(MAP, async (request) => {
      const { day: _, fromDay: __, toDay: ___, ...which } = request.query
      const all = { sort: 'id', descending: false, offset: 0, limit: 0 } as const
      return reports.map({ ...daysOf(request.query), ...which, ...all, now: now(), within: devicesOf(request) })
    }),
  })
}
