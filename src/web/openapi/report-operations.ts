import { EXPORT_FORMATS } from '../../report/export/formats.ts'
import { READ } from '../api/access.ts'
import { DAILY, MOST_DAYS } from '../api/report-routes.ts'
import { READS_STORE } from './error-answers.ts'
import { figures } from './figures.ts'
import { type Content, json, type Operation, type Parameter } from './operation.ts'
import { count, day, exampleOf, integer, list, object, type Schema, text } from './schema.ts'

const DAY = 20261120
const assertId = text('Asset identifier of the device. The interface spells the field this way.', { example: 'CLR-1' })

const assertIds: Schema = {
  ...list(
    'Asset identifiers to report. Left out or null for all devices, `[]` for none; unknown ones are left out, repeated ones count once.',
    { type: 'string', description: 'An asset identifier.', examples: ['CLR-1'] },
    { example: ['CLR-1'] },
  ),
  type: ['array', 'null'],
}

export const DAILY_ENTRY = object('The figures of one device on one local day.', {
  assertId,
  ...figures('of the day'),
})

export const SUMMARY_ENTRY = object('The figures of one device over a range of local days, and where it is now.', {
  assertId,
  ...figures('of the range'),
  location: text('Current position, `<latitude>,<longitude>`. Unit: decimal degrees.', {
    nullWhen: 'without a fix and a placement',
    example: '52.52,13.405',
  }),
  address: text('Address of the current position.', {
    nullWhen: 'where none is known',
    example: 'Hauptstraße 1, Berlin',
  }),
  throwinDate: text("Start of the placement in force, `YYYY-MM-DD HH:MM:SS`. Unit: wall clock of the device's zone.", {
    nullWhen: 'without a placement',
    example: '2026-11-20 08:00:00',
  }),
})

const envelope = (description: string, data: Schema): Schema =>
  object(description, {
    status: { ...integer('200: the call succeeded.', { unit: 'HTTP status', example: 200 }), enum: [200] },
    message: text('OK: the call succeeded.', { enum: ['OK'], example: 'OK' }),
    data,
  })

const deviceCount = count('Number of entries of `deviceStatusList`.', 'devices', 1)
const ORDER = 'One entry for each device, in ascending order of `assertId` by UTF-16 units.'

export const DAILY_ANSWER = envelope(
  'The daily report in the envelope.',
  object('The daily report.', {
    day: day('The day reported.', DAY),
    deviceCount,
    deviceStatusList: list(ORDER, DAILY_ENTRY),
  }),
)

export const SUMMARY_ANSWER = envelope(
  'The range summary in the envelope.',
  object('The range summary.', { deviceCount, deviceStatusList: list(ORDER, SUMMARY_ENTRY) }),
)

const ANY_TYPE = 'Read as JSON (UTF-8) whatever the `Content-Type` says. Unknown fields are ignored.'

const dailyRequest = object(
  'What to report.',
  { day: day('The local day to report.', DAY), assertIds },
  { optional: ['assertIds'] },
)

const summaryRequest = object(
  'What to report.',
  {
    startDay: day('First local day of the range.', DAY),
    endDay: day(`Last local day of the range, counted too. A range has at most ${MOST_DAYS} days.`, DAY + 6),
    assertIds,
  },
  { optional: ['assertIds'] },
)

/** A request of some devices, and one of all. */
const examples = (request: Schema) => {
  const some = exampleOf(request) as Record<string, unknown>
  const { assertIds: _, ...all } = some
  return { some: { summary: 'One device', value: some }, all: { summary: 'All devices', value: all } }
}

/** Which form an answer has, beside what `Accept` says. */
export const FILE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'format',
    in: 'query',
    description:
      'Form of the answer. Where it is left out the header `Accept` decides, and JSON it is unless that asks for a file.',
    schema: { type: 'string', enum: ['json', ...Object.keys(EXPORT_FORMATS)], examples: ['csv'] },
  },
  {
    name: 'bom',
    in: 'query',
    description: '1: CSV begins with a byte order mark, by which older spreadsheets know UTF-8.',
    schema: { type: 'string', enum: ['0', '1'], examples: ['1'] },
  },
]

/** The report as JSON, and as the files that it may be had as. */
export const withFiles = (answer: Schema): Content => ({
  ...json(answer),
  ...Object.fromEntries(
    Object.values(EXPORT_FORMATS).map(({ mediaType }) => [
      mediaType,
      { schema: { type: 'string', description: 'The same figures, as a file to be saved.', examples: ['...'] } },
    ]),
  ),
})

export const REPORT_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: DAILY,
    operationId: 'reportDay',
    tag: 'Reports',
    summary: 'Figures of one day',
    description:
      "The figures of each selected device on one local day: the day of the device's own time zone. A day that is not over counts up to its last rollup.",
    access: READ,
    body: { description: ANY_TYPE, content: json(dailyRequest, examples(dailyRequest)) },
    parameters: FILE_PARAMETERS,
    answers: { 200: { description: 'The report.', content: withFiles(DAILY_ANSWER) } },
    errors: READS_STORE,
  },
  {
    method: 'POST',
    path: `${DAILY}/summary`,
    operationId: 'reportRange',
    tag: 'Reports',
    summary: 'Figures of a range of days',
    description: `The figures of each selected device over a range of at most ${MOST_DAYS} local days, both ends counted. Means are over all readings of the range. \`location\`, \`address\` and \`throwinDate\` are current, whatever the range.`,
    access: READ,
    body: { description: ANY_TYPE, content: json(summaryRequest, examples(summaryRequest)) },
    parameters: FILE_PARAMETERS,
    answers: { 200: { description: 'The report.', content: withFiles(SUMMARY_ANSWER) } },
    errors: READS_STORE,
  },
]
