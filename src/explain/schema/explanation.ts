import { count, day, flag, instant, integer, mapOf, nullable, number, oneOf, text } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import { REASONS } from '../../event/reasons.ts'
import { figures } from '../../rollup/figures/schema.ts'
import { CAUSES } from '../../store/revision.ts'
import { CARRIED_STATE, COVERAGE, READING, SPAN } from './parts.ts'
import { PURGED, SOURCES } from './sources.ts'

export const DAY = 20261120
const START = '2026-11-19T23:00:00.000Z'
const END = '2026-11-20T23:00:00.000Z'
const OTHER_CALENDAR = 'where the day is no longer in the calendar of the device'

const FIGURES = figures('of the day')

const causes = Type.Array(oneOf('A reason.', CAUSES, 'late-events'), { description: 'Why.' })

const ZONE = Type.Object(
  { zone: text('IANA name.', 'Europe/Berlin'), from: instant('Since when in the day.', START) },
  { description: 'A time zone.' },
)

const PLACE = Type.Object(
  {
    lat: number('Latitude.', 'decimal degrees', 52.52),
    lon: number('Longitude.', 'decimal degrees', 13.405),
    by: oneOf('A placement, or its first fix where it was never placed.', ['placement', 'first-fix'], 'placement'),
    from: instant('Since when in the day.', START),
  },
  { description: 'Where the device was meant to stand.' },
)

const REVISION = Type.Object(
  {
    number: integer('From 1.', 'none', 1, { minimum: 1 }),
    revisedAt: instant('When they changed.', '2026-11-22T09:15:00.000Z'),
    causes,
    figures: nullable(
      Type.Object(FIGURES, { description: 'The figures before the change.' }),
      'where nothing was stored, and where they have been erased',
    ),
    figuresErased: flag('Whether they have been erased with the events that they were computed from.', false),
  },
  { description: 'A change of the figures after the day was settled.' },
)

const REJECTS = `Rejected events of the day that are kept, of each reason; those without a readable \`at\` by the time of their rejection. Reasons: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`

export const EXPLANATION = Type.Object(
  {
    deviceId: text('Asset identifier.', 'CLR-1'),
    day: day('The local day.', DAY),
    status: oneOf(
      'Not closed yet; closed; closed and changed since.',
      ['provisional', 'settled', 'revised'],
      'revised',
    ),
    start: instant('First instant of the day.', START),
    end: instant('First instant after the day.', END),
    daytimeStart: nullable(instant('First instant of its daytime.', '2026-11-20T05:00:00.000Z'), OTHER_CALENDAR),
    daytimeEnd: nullable(instant('First instant after its daytime.', '2026-11-20T17:00:00.000Z'), OTHER_CALENDAR),
    closesAt: nullable(
      instant('From here on a change of the figures is a revision.', '2026-11-20T23:20:00.000Z'),
      'where it is not known any more',
    ),
    asOf: nullable(instant('Time after it counts nothing.', END), 'where the day has not been rolled up'),
    zones: Type.Array(ZONE, { description: 'Time zones in force during the day.' }),
    places: Type.Array(PLACE, {
      description: 'Where the device was meant to stand during the day; empty where that is not known.',
    }),
    figures: Type.Object(FIGURES, { description: 'The figures, as the daily report has them.' }),
    matches: nullable(flag('Whether the raw events still give what is stored.', true), PURGED),
    recomputed: nullable(
      Type.Object(FIGURES, { description: 'What they give instead; then all that follows explains these figures.' }),
      'where it is the same',
      null,
    ),
    rawPurged: flag('Whether raw events of the day have been deleted.', false),
    waiting: count('Events of the day, repeats included, that have landed and wait for a rollup.', 'events', 0),
    due: nullable(
      Type.Object({ causes }, { description: 'The day will be computed again.' }),
      'where it will not',
      null,
    ),
    from: SOURCES,
    coverage: COVERAGE,
    carriedIn: Type.Object(
      { fromDay: nullable(day('The day that left it.', DAY - 1), 'where none did'), ...CARRIED_STATE.properties },
      { description: 'The state that the day starts from.' },
    ),
    carriedOut: Type.Object(CARRIED_STATE.properties, { description: 'The state that the day leaves to the next.' }),
    events: count('Distinct events of the day, placements aside.', 'events', 9),
    repeats: count('Repeats of them that were dropped.', 'events', 0),
    spikes: count('Fixes that were left out.', 'readings', 0),
    rejects: mapOf(REJECTS, count('Events of this reason.', 'events', 1), { 'out-of-range': 1 }),
    revisions: Type.Array(REVISION, { description: 'Changes after the day was settled, earliest first.' }),
    spans: nullable(
      Type.Array(SPAN, { description: 'Power spans that begin in this page; over all pages they tile the day.' }),
      PURGED,
    ),
    readings: nullable(
      Type.Array(READING, { description: 'Events of the day in their order, one page of them.' }),
      PURGED,
    ),
    next: nullable(text('`after` of the next page.', '1795161900000-0'), 'on the last page'),
  },
  { $id: 'Explanation', description: 'What the stored figures of one device and local day come from.' },
)
