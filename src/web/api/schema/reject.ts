import { count, EXPECTED, instant, integer, mapOf, nullable, oneOf, text } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { REASONS } from '../../../event/reasons.ts'

const RAW = '{"deviceId":"CLR-1","at":"2026-11-20T09:05:00+01:00","type":"temperature","celsius":430}'
const WHY = 'Why it was rejected; where several reasons apply, the first of these.'

/** Returns the schema of the number of a rejected event. */
export const idOf = (description: string) =>
  integer(description, 'none', 17, { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, [EXPECTED]: 'an id' })

const REJECT = Type.Object(
  {
    id: idOf('Its number, from 1: a later one is greater.'),
    reason: oneOf(WHY, REASONS, 'out-of-range'),
    raw: text('Its text as it came, cut where it is very long.', RAW),
    rawBytes: count('Length of the whole text in UTF-8.', 'bytes', RAW.length),
    rejectedAt: instant('When it was rejected.', '2026-11-20T08:05:01.250Z'),
  },
  { $id: 'Reject', description: 'A rejected event as it is kept.' },
)

export const REJECTS = Type.Object(
  {
    rejects: Type.Array(REJECT, { description: 'Newest first.' }),
    byReason: mapOf('All rejected events that are kept, by reason.', count('Events.', 'events', 2), {
      'out-of-range': 2,
    }),
    next: nullable(idOf('`before` of the next page.'), 'on the last page'),
  },
  { $id: 'Rejects', description: 'A page of rejected events.' },
)

export const REPLAYED = Type.Object(
  {
    accepted: count('Events that are rejected no more.', 'events', 2),
    rejected: count('Events that were rejected once more.', 'events', 1),
    rejections: Type.Array(
      Type.Object(
        { id: idOf('The id that it had.'), reason: oneOf('Why it was rejected this time.', REASONS, 'out-of-range') },
        { description: 'One of them.' },
      ),
      { description: 'The first 100 of these.' },
    ),
    left: count('Events left as they are: their whole text is not kept.', 'events', 0),
    next: nullable(idOf('`before` of the next call.'), 'where there are no more', null),
  },
  { $id: 'Replayed', description: 'What became of rejected events that were given to the intake again.' },
)
