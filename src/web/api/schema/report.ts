import { count, day, EXPECTED, nullable, oneOf, text } from '../../../base/schema-fields.ts'
import { type TSchema, Type } from '../../../base/typebox.ts'
import { EXPORT_FORMATS } from '../../../report/export/formats.ts'
import { MOST_DAYS } from '../../../report/report.ts'
import { figures } from '../../../rollup/figures/schema.ts'
import { REPORT_VERSION } from '../../../store/report-version.ts'
import { type Contents, describeText } from '../call.ts'

const DAY = 20261120

/** The field that both forms of the daily report take: a day. */
export const ONE_DAY = { day: day('The local day to report.', DAY) }

/** The fields that both forms of the summary take: a range of days. */
export const RANGE = {
  startDay: day('First local day of the range.', DAY),
  endDay: day(`Last local day of the range, counted too. A range has at most ${MOST_DAYS} days.`, DAY + 6),
}

const assertId = text('Asset identifier of the device. The interface spells the field this way.', 'CLR-1')

/** The selection as a field of a body. */
export const ASSERT_IDS = Type.Optional(
  Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    description:
      'Asset identifiers to report. Left out or null for all devices, `[]` for none; unknown ones are left out, repeated ones count once.',
    items: { type: 'string', description: 'An asset identifier.', examples: ['CLR-1'] },
    examples: [['CLR-1']],
    [EXPECTED]: 'an array of strings, or left out for all devices',
  }),
)

const DAILY_ENTRY = Type.Object(
  { assertId, ...figures('of the day') },
  { $id: 'DailyEntry', description: 'The figures of one device on one local day.' },
)

const SUMMARY_ENTRY = Type.Object(
  {
    assertId,
    ...figures('of the range'),
    location: nullable(
      text('Current position, `<latitude>,<longitude>`. Unit: decimal degrees.', '52.52,13.405'),
      'without a fix and a placement',
    ),
    address: nullable(text('Address of the current position.', 'Hauptstraße 1, Berlin'), 'where none is known'),
    throwinDate: nullable(
      text(
        "Start of the placement in force, `YYYY-MM-DD HH:MM:SS`. Unit: wall clock of the device's zone.",
        '2026-11-20 08:00:00',
      ),
      'without a placement',
    ),
  },
  { $id: 'SummaryEntry', description: 'The figures of one device over a range of local days, and where it is now.' },
)

const envelope = <Data extends TSchema>($id: string, description: string, data: Data) =>
  Type.Object(
    {
      status: Type.Integer({
        description: '200: the call succeeded. Unit: HTTP status.',
        enum: [200],
        examples: [200],
      }),
      message: oneOf('OK: the call succeeded.', ['OK'], 'OK'),
      data,
    },
    { $id, description },
  )

const entries = <Entry extends TSchema>(entry: Entry) => ({
  deviceCount: count('Number of entries of `deviceStatusList`.', 'devices', 1),
  deviceStatusList: Type.Array(entry, {
    description: 'One entry for each device, in ascending order of `assertId` by UTF-16 units.',
  }),
})

/** Returns the contents of a report: JSON, and the files it is available as. */
export const withFiles = (answer: TSchema): Contents => {
  const types = Object.values(EXPORT_FORMATS).map(({ mediaType }) => mediaType)
  const { content } = describeText('The same figures, as a file to be saved.', types)
  return { description: 'The report.', content: { 'application/json': { schema: answer }, ...content } }
}

export const DAILY_ANSWER = withFiles(
  envelope(
    'DailyAnswer',
    'The daily report in the envelope.',
    Type.Object({ day: day('The day reported.', DAY), ...entries(DAILY_ENTRY) }, { description: 'The daily report.' }),
  ),
)

export const SUMMARY_ANSWER = withFiles(
  envelope(
    'SummaryAnswer',
    'The range summary in the envelope.',
    Type.Object(entries(SUMMARY_ENTRY), { description: 'The range summary.' }),
  ),
)

/** Parameters for the form of an answer. `format` takes precedence over the `Accept` header. */
export const FORM_PARAMETERS = {
  format: Type.Optional(
    oneOf(
      'Form of the answer. Where it is left out the header `Accept` decides, and JSON it is unless that asks for a file.',
      ['json', ...(Object.keys(EXPORT_FORMATS) as (keyof typeof EXPORT_FORMATS)[])],
      'csv',
    ),
  ),
  bom: Type.Optional(
    oneOf('1: CSV begins with a byte order mark, by which older spreadsheets know UTF-8.', ['0', '1'], '1'),
  ),
}

/** Parameters for the form of a report, and for the state of the store that it is made from. */
export const REPORT_PARAMETERS = {
  since: Type.Optional(
    text(
      'The `version` of a rollup that was waited for: the report holds what that rollup stored, also where reports are read from a replica.',
      '812.40',
      { pattern: REPORT_VERSION.source, [EXPECTED]: 'the version that a rollup answered, such as 812.40' },
    ),
  ),
  ...FORM_PARAMETERS,
}
