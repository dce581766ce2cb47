import { count, flag, mapOf, oneOf } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { Erased, EraseRequest } from '../../erase/erase-request.ts'
import { EVENT_TYPES } from '../../event/fields.ts'
import { ADMIN } from './access.ts'
import { call, type Statement } from './call.ts'
import { WRITES_STORE } from './error-answers.ts'
import { DEVICE_ID } from './schema/device.ts'
import { FROM, spanOf, TO } from './schema/instants.ts'

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
      from: Type.Optional(FROM),
      to: Type.Optional(TO),
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

/** Returns `DELETE /v1/devices/{id}/events`: erases raw events of a device and what depends on them. */
export const eraseCall = (erase: Erase) =>
  call(ERASE, async (request) => {
    const { from, to, type = null } = request.query
    const done = await erase({ device: request.params.id, ...spanOf({ from, to }), type })
    const { erased, byType, rejects, placementsLeft, logEmptied } = done
    return { erased, byType, rejects, placementsLeft, logEmptied: logEmptied === true }
  })
