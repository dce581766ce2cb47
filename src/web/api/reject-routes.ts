import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { formatInstant } from '../../base/time.ts'
import { isReason, REASONS, type Reason } from '../../event/reasons.ts'
import { MAX_BATCH_EVENTS } from '../../event/telemetry-event.ts'
import { type ReplayParts, type ReplayRequest, replayRejects } from '../../ingest/replay.ts'
import type { RawStore } from '../../store/raw-store.ts'
import { ADMIN_ALL, allow } from './access.ts'
import { jsonObject } from './json-body.ts'
import { resource } from './resource.ts'

/** Rejected events of one page. */
export const PAGE = { default: 100, most: 1000 } as const

/**
 * `GET /v1/rejects`: rejected events, newest first, pages by `before`, of one `reason` or all. `POST /v1/rejects/replay`
 * gives some to the intake again.
 */
export function rejectRoutes(app: FastifyInstance, parts: ReplayParts & { raw: RawStore }): void {
  resource(app, '/v1/rejects', {
    GET: allow(ADMIN_ALL, async (request) => {
      const { before, limit, reason } = pageOf(request)
      const rejects = await parts.raw.rejects({ limit, before, reason })
      return {
        rejects: rejects.map(({ rejectedAt, ...reject }) => ({ ...reject, rejectedAt: formatInstant(rejectedAt) })),
        next: rejects.length === limit ? rejects[rejects.length - 1].id : null,
      }
    }),
  })
  resource(app, '/v1/rejects/replay', {
    POST: allow(ADMIN_ALL, async (request, reply) =>
      reply.code(202).send(await replayRejects(parts, replayOf(jsonObject(request.body)))),
    ),
  })
}

function pageOf(request: FastifyRequest): { limit: number; before: number | undefined; reason: Reason | undefined } {
  const { before, limit, reason } = request.query as { before?: unknown; limit?: unknown; reason?: unknown }
  const size = limit === undefined ? PAGE.default : Number(limit)
  const beforeId = before === undefined ? undefined : Number(before)
  const isPage = Number.isInteger(size) && size >= 1 && size <= PAGE.most
  if (!isPage || (beforeId !== undefined && !Number.isInteger(beforeId))) {
    throw new CoolerError('bad-request', `limit must be a whole number from 1 to ${PAGE.most}, before an id`)
  }
  return { limit: size, before: beforeId, reason: reasonOf(reason) }
}

function replayOf({ ids, reason, before }: Record<string, unknown>): ReplayRequest {
  if ((ids === undefined) === (reason === undefined)) {
    throw new CoolerError('bad-request', 'ids or reason must say which rejected events, one of the two')
  }
  const isIds = Array.isArray(ids) && ids.length <= MAX_BATCH_EVENTS && ids.every(Number.isSafeInteger)
  if (ids !== undefined && !isIds)
    throw new CoolerError('bad-request', `ids must be an array of at most ${MAX_BATCH_EVENTS} ids`)
  if (before !== undefined && !Number.isSafeInteger(before))
    throw new CoolerError('bad-request', 'before must be an id')
  return { ids: ids as number[] | undefined, reason: reasonOf(reason), before: before as number | undefined }
}

function reasonOf(reason: unknown): Reason | undefined {
  if (reason === undefined || isReason(reason)) return reason
  throw new CoolerError('bad-request', `reason must be one of ${REASONS.join(', ')}`)
}
