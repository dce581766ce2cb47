import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { count, EXPECTED, flag, mapOf, oneOf, text } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { Erased, EraseRequest } from '../../erase/erase-request.ts'
import { EVENT_TYPES } from '../../event/fields.ts'
import { parseInstant } from '../../ingest/parse-instant.ts'
import { END_OF_TIME } from '../../store/due.ts'
import { ADMIN } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { WRITES_STORE } from './error-answers.ts'
import { DEVICE_ID } from './schema/device.ts'

const instantParameter = (description: string, example: string) =>
  Type.Optional(
    Type.Refine(
      text(
        `${description} RFC 3339 with \`Z\` or an offset (\`+\` is written \`%2B\`), or epoch milliseconds.`,
        example,
        { [EXPECTED]: 'RFC 3339 with Z or an offset (in an address + is written %2B), or epoch milliseconds' },
      ),
      (value) => parseInstant(value) !== null,
    ),
  )

const ERASED = Type.Object(
  {
    erased: count('Landed events, repeats and placements included.', 'events', 12),
    byType: mapOf('The same by type; types without any are left out.', count('Events of the type.', 'events', 12), {
      gps: 12,
    }),
    rejects: count('Rejected events.', 'events', 1),
    placementsLeft: count(
      'Placements that begin within the span and stay: they go by `type=placement` only.',
      'placements',
      0,
    ),
    logEmptied: flag(
      'Whether no copy is left in the write-ahead log; false while somebody reads an older state: erase again later.',
      true,
    ),
  },
  { $id: 'Erased', description: 'What was erased.' },
)

const ERASE = {
  operationId: 'eraseEvents',
  tags: ['Devices'],
  summary: 'Erase events of a device',
  description:
    'Erases the raw events of a span, rejected events of it, and the last position if it came from them; the next rollup computes again what depended on them (cause `erased`). Without `from` it begins with the first event, without `to` it has no end. UTC days are erased one after the other, each whole: after an error the call may be repeated. Unknown parameters are refused.',
  access: ADMIN,
  params: Type.Object({ id: DEVICE_ID }),
  querystring: Type.Object(
    {
      from: instantParameter('First instant.', '2026-11-20T00:00:00Z'),
      to: instantParameter('First instant after the last.', '2026-11-21T00:00:00Z'),
      type: Type.Optional(
        oneOf('Only events of this type; all but placements where it is left out.', EVENT_TYPES, 'gps'),
      ),
    },
    // A misspelt parameter would be ignored otherwise, and too much erased.
    { additionalProperties: false },
  ),
  response: { 200: ERASED },
  errors: [...WRITES_STORE, 'not-found', 'raw-purged'],
} as const satisfies Statement

/** Erases events off the event loop, and logs what was erased. */
export type Erase = (request: EraseRequest) => Promise<Erased>

/** `DELETE /v1/devices/{id}/events`: erases raw events of a device and what depends on them. */
export function eraseRoutes(app: FastifyInstance, erase: Erase): void {
  resource(app, '/v1/devices/:id/events', {
    DELETE: call(ERASE, async (request) => {
      const { from, to, type = null } = request.query
      const fromAt = from === undefined ? 0 : (parseInstant(from) as number)
      const toAt = to === undefined ? END_OF_TIME : (parseInstant(to) as number)
      if (fromAt >= toAt) throw new CoolerError('bad-request', 'from must be before to')
      const done = await erase({ device: request.params.id, fromAt, toAt, type })
      const { erased, byType, rejects, placementsLeft, logEmptied } = done
      return { erased, byType, rejects, placementsLeft, logEmptied: logEmptied === true }
    }),
  })
}
