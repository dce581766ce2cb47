import { REASONS } from '../../event/reasons.ts'
import { READINGS_PAGE } from '../../explain/explanation.ts'
import { FIGURE_NAMES } from '../../rollup/figures/figures.ts'
import { CAUSES } from '../../store/revision.ts'
import { READ } from '../api/access.ts'
import { deviceIdParameter } from './device-operations.ts'
import { READS_STORE } from './error-answers.ts'
import { CARRIED, COVERAGE, READING, SPAN } from './explanation-parts.ts'
import { SOURCES } from './explanation-sources.ts'
import { figures } from './figures.ts'
import { json, limitParameter, type Operation } from './operation.ts'
import { count, day, flag, instant, integer, list, mapOf, number, object, oneOf, type Schema, text } from './schema.ts'

const DAY = 20261120
const START = '2026-11-19T23:00:00.000Z'
const END = '2026-11-20T23:00:00.000Z'
const OTHER_CALENDAR = 'where the day is no longer in the calendar of the device'
const PURGED = 'where the raw events have been deleted'

const FIGURES = figures('of the day')

const causes: Schema = list('Why.', oneOf('A reason.', CAUSES, 'late-events'))

const PLACE = object('Where the device was meant to stand.', {
  lat: number('Latitude.', { unit: 'decimal degrees', example: 52.52 }),
  lon: number('Longitude.', { unit: 'decimal degrees', example: 13.405 }),
  by: oneOf('A placement, or its first fix where it was never placed.', ['placement', 'first-fix'], 'placement'),
  from: instant('Since when in the day.', START),
})

const REVISION = object('A change of the figures after the day was settled.', {
  number: integer('From 1.', { unit: 'none', minimum: 1, example: 1 }),
  revisedAt: instant('When they changed.', '2026-11-22T09:15:00.000Z'),
  causes,
  figures: object('The figures before the change.', FIGURES, {
    nullWhen: 'where nothing was stored, and where they have been erased',
  }),
  figuresErased: flag('Whether they have been erased with the events that they were computed from.', false),
})

export const EXPLANATION = object('What the stored figures of one device and local day come from.', {
  deviceId: text('Asset identifier.', { example: 'CLR-1' }),
  day: day('The local day.', DAY),
  status: oneOf('Not closed yet; closed; closed and changed since.', ['provisional', 'settled', 'revised'], 'revised'),
  start: instant('First instant of the day.', START),
  end: instant('First instant after the day.', END),
  daytimeStart: instant('First instant of its daytime.', '2026-11-20T05:00:00.000Z', OTHER_CALENDAR),
  daytimeEnd: instant('First instant after its daytime.', '2026-11-20T17:00:00.000Z', OTHER_CALENDAR),
  closesAt: instant(
    'From here on a change of the figures is a revision.',
    '2026-11-20T23:20:00.000Z',
    'where it is not known any more',
  ),
  asOf: instant('Time after it counts nothing.', END, 'where the day has not been rolled up'),
  zones: list(
    'Time zones in force during the day.',
    object('A time zone.', {
      zone: text('IANA name.', { example: 'Europe/Berlin' }),
      from: instant('Since when in the day.', START),
    }),
  ),
  places: list('Where the device was meant to stand during the day; empty where that is not known.', PLACE),
  figures: object('The figures, as the daily report has them.', FIGURES),
  matches: flag('Whether the raw events still give what is stored.', true, PURGED),
  recomputed: object('What they give instead; then all that follows explains these figures.', FIGURES, {
    nullWhen: 'where it is the same',
    example: null,
  }),
  rawPurged: flag('Whether raw events of the day have been deleted.', false),
  waiting: count('Events of the day, repeats included, that have landed and wait for a rollup.', 'events', 0),
  due: object('The day will be computed again.', { causes }, { nullWhen: 'where it will not', example: null }),
  from: SOURCES,
  coverage: COVERAGE,
  carriedIn: object('The state that the day starts from.', {
    fromDay: day('The day that left it.', DAY - 1, 'where none did'),
    ...CARRIED,
  }),
  carriedOut: object('The state that the day leaves to the next.', CARRIED),
  events: count('Distinct events of the day, placements aside.', 'events', 9),
  repeats: count('Repeats of them that were dropped.', 'events', 0),
  spikes: count('Fixes that were left out.', 'readings', 0),
  rejects: mapOf(
    `Rejected events of the day that are kept, of each reason; those without a readable \`at\` by the time of their rejection. Reasons: ${REASONS.map((reason) => `\`${reason}\``).join(', ')}.`,
    count('Events of this reason.', 'events', 1),
    { 'out-of-range': 1 },
  ),
  revisions: list('Changes after the day was settled, earliest first.', REVISION),
  spans: list('Power spans that begin in this page; over all pages they tile the day.', SPAN, { nullWhen: PURGED }),
  readings: list('Events of the day in their order, one page of them.', READING, { nullWhen: PURGED }),
  next: text('`after` of the next page.', { nullWhen: 'on the last page', example: '1795161900000-0' }),
})

export const DAY_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/devices/{id}/days/{day}',
    operationId: 'explainDay',
    tag: 'Devices',
    summary: 'Where the figures of a day come from',
    description:
      'Folds the events of the device-day again, by the code that rolled them up, and tells all that counted: its readings in pages, power spans, states carried in and out, revisions, and whether what is stored is still what the events give.',
    access: READ,
    parameters: [
      deviceIdParameter,
      {
        name: 'day',
        in: 'path',
        description: day('The local day.', DAY).description ?? '',
        schema: { type: 'integer', minimum: 10_000_101, maximum: 99_991_231, examples: [DAY] },
      },
      {
        name: 'figure',
        in: 'query',
        description: 'Only readings that concern this figure; all where it is left out.',
        schema: { type: 'string', enum: FIGURE_NAMES, examples: ['distance'] },
      },
      limitParameter('readings', READINGS_PAGE),
      {
        name: 'after',
        in: 'query',
        description: 'Only readings behind those of the page before: its `next`.',
        schema: { type: 'string', examples: ['1795161900000-0'] },
      },
    ],
    answers: { 200: { description: 'The explanation.', content: json(EXPLANATION) } },
    errors: [...READS_STORE, 'not-found', 'other-rules'],
  },
]
