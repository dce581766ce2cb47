import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import type { Erased, EraseRequest } from '../../erase/erase-request.ts'
import { EVENT_TYPES, isEventType } from '../../event/fields.ts'
import { parseInstant } from '../../ingest/parse-instant.ts'
import { END_OF_TIME } from '../../store/raw-store.ts'
import { ADMIN, allow } from './access.ts'
import { seenId } from './device-routes.ts'
import { resource } from './resource.ts'

/** Erases off the event loop, and logs it. */
export type Erase = (request: EraseRequest) => Promise<Erased>

const PARAMETERS = ['from', 'to', 'type']

/** `DELETE /v1/devices/{id}/events`: erases raw events of a device and what depends on them. */
export function eraseRoutes(app: FastifyInstance, erase: Erase): void {
  resource(app, '/v1/devices/:id/events', {
    DELETE: allow(ADMIN, async (request) => {
      const device = seenId(request)
      const { erased, byType, rejects, placementsLeft, logEmptied } = await erase({ device, ...spanOf(request) })
      return { erased, byType, rejects, placementsLeft, logEmptied }
    }),
  })
}

/** @throws CoolerError `bad-request`; also for unknown parameters: one that is misspelt would erase too much. */
function spanOf(request: FastifyRequest): Omit<Extract<EraseRequest, { device: string }>, 'device'> {
  const query = request.query as Record<string, unknown>
  for (const name of Object.keys(query)) {
    if (!PARAMETERS.includes(name)) {
      throw new CoolerError(
        'bad-request',
        `there is no parameter ${JSON.stringify(name)}: use ${PARAMETERS.join(', ')}`,
      )
    }
  }
  const fromAt = instantOf(query, 'from') ?? 0
  const toAt = instantOf(query, 'to') ?? END_OF_TIME
  if (fromAt >= toAt) throw new CoolerError('bad-request', 'from must be before to')
  const { type = null } = query
  if (type !== null && !isEventType(type)) {
    throw new CoolerError('bad-request', `type must be one of ${EVENT_TYPES.join(', ')}`)
  }
  return { fromAt, toAt, type }
}

function instantOf(query: Record<string, unknown>, name: string): number | null {
  const text = query[name]
  if (text === undefined) return null
  const instant = typeof text === 'string' ? parseInstant(text) : null
  if (instant !== null) return instant
  throw new CoolerError(
    'bad-request',
    `${name} must be RFC 3339 with Z or an offset (in an address + is written %2B), or epoch milliseconds`,
  )
}
