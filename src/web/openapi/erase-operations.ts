import { EVENT_TYPES } from '../../event/fields.ts'
import { ADMIN } from '../api/access.ts'
import { deviceIdParameter } from './device-operations.ts'
import { WRITES_STORE } from './error-answers.ts'
import { json, type Operation, type Parameter } from './operation.ts'
import { count, flag, mapOf, object } from './schema.ts'

const FROM = '2026-11-20T00:00:00Z'

const instantParameter = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'query',
  description: `${description} RFC 3339 with \`Z\` or an offset (\`+\` is written \`%2B\`), or epoch milliseconds.`,
  schema: { type: 'string', examples: [example] },
})

export const ERASED = object('What was erased.', {
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
})

export const ERASE_OPERATIONS: readonly Operation[] = [
  {
    method: 'DELETE',
    path: '/v1/devices/{id}/events',
    operationId: 'eraseEvents',
    tag: 'Devices',
    summary: 'Erase events of a device',
    description:
      'Erases the raw events of a span, rejected events of it, and the last position if it came from them; the next rollup computes again what depended on them (cause `erased`). Without `from` it begins with the first event, without `to` it has no end. UTC days are erased one after the other, each whole: after an error the call may be repeated.',
    access: ADMIN,
    parameters: [
      deviceIdParameter,
      instantParameter('from', 'First instant.', FROM),
      instantParameter('to', 'First instant after the last.', '2026-11-21T00:00:00Z'),
      {
        name: 'type',
        in: 'query',
        description: 'Only events of this type; all but placements where it is left out.',
        schema: { type: 'string', enum: EVENT_TYPES, examples: ['gps'] },
      },
    ],
    answers: { 200: { description: 'What was erased.', content: json(ERASED) } },
    errors: [...WRITES_STORE, 'not-found', 'raw-purged'],
  },
]
