import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../errors.ts'
import type { RawStore } from '../raw/raw-store.ts'
import { ADMIN_ALL, allow } from './access.ts'
import { resource } from './resource.ts'

/** Rejected events of one page. */
export const PAGE = { default: 100, most: 1000 } as const

/** `GET /v1/rejects`: rejected events, newest first, pages by `before`. */
export function rejectRoutes(app: FastifyInstance, raw: RawStore): void {
  resource(app, '/v1/rejects', {
    GET: allow(ADMIN_ALL, async (request) => {
      const { before, limit } = request.query as { before?: string; limit?: string }
      const size = limit === undefined ? PAGE.default : Number(limit)
      const beforeId = before === undefined ? undefined : Number(before)
      if (
        !Number.isInteger(size) ||
        size < 1 ||
        size > PAGE.most ||
        (beforeId !== undefined && !Number.isInteger(beforeId))
      ) {
        throw new CoolerError('bad-request', `limit must be a whole number from 1 to ${PAGE.most}, before an id`)
      }
      const rejects = await raw.rejects(size, beforeId)
      return {
        rejects: rejects.map(({ rejectedAt, ...reject }) => ({
          ...reject,
          rejectedAt: new Date(rejectedAt).toISOString(),
        })),
        next: rejects.length === size ? rejects[rejects.length - 1].id : null,
      }
    }),
  })
}
