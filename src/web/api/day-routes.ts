import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { parseDay } from '../../base/time.ts'
import type { ExplainRequest } from '../../explain/explain-day.ts'
import { type Explanation, READINGS_PAGE } from '../../explain/explanation.ts'
import { type PageRequest, parseCursor } from '../../explain/page.ts'
import { FIGURE_NAMES, isFigureName } from '../../rollup/figures/figures.ts'
import { allow, READ } from './access.ts'
import { seenId } from './device-routes.ts'
import { resource } from './resource.ts'

/** Explains a device-day, off the event loop: many events may have to be read. */
export type ExplainDay = (request: ExplainRequest) => Promise<Explanation>

/**
 * `GET /v1/devices/{id}/days/{day}`: what the figures of a device-day come from; its readings in pages (`limit`,
 * `after`), all of them or those of one `figure`.
 */
export function dayRoutes(app: FastifyInstance, explainDay: ExplainDay): void {
  resource(app, '/v1/devices/:id/days/:day', {
    GET: allow(READ, async (request) =>
      explainDay({ deviceId: seenId(request), day: dayOf(request), ...pageOf(request) }),
    ),
  })
}

function dayOf(request: FastifyRequest): number {
  const { day } = request.params as { day: string }
  const epochDay = /^\d{8}$/.test(day) ? parseDay(Number(day)) : null
  if (epochDay === null) {
    const given = JSON.stringify(day.slice(0, 40))
    throw new CoolerError('bad-request', `${given} is not a calendar day; write YYYYMMDD`)
  }
  return epochDay
}

function pageOf(request: FastifyRequest): PageRequest {
  const { figure = null, limit, after } = request.query as { figure?: unknown; limit?: unknown; after?: unknown }
  if (figure !== null && !isFigureName(figure)) {
    throw new CoolerError('bad-request', `figure must be one of ${FIGURE_NAMES.join(', ')}`)
  }
  const size = limit === undefined ? READINGS_PAGE.default : Number(limit)
  if (!Number.isInteger(size) || size < 1 || size > READINGS_PAGE.most) {
    throw new CoolerError('bad-request', `limit must be a whole number from 1 to ${READINGS_PAGE.most}`)
  }
  const cursor = typeof after === 'string' ? parseCursor(after) : null
  if (after !== undefined && cursor === null) {
    throw new CoolerError('bad-request', 'after must be what `next` of the page before was')
  }
  return { figure, limit: size, after: cursor }
}
