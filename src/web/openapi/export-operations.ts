import { READ } from '../api/access.ts'
import { MOST_DAYS } from '../api/report-routes.ts'
import { READS_STORE } from './error-answers.ts'
import type { Operation, Parameter } from './operation.ts'
import { DAILY_ANSWER, FILE_PARAMETERS, SUMMARY_ANSWER, withFiles } from './report-operations.ts'
import { day } from './schema.ts'

const dayParameter = (name: string, meaning: string, example: number): Parameter => {
  const { description = '', ...schema } = day(meaning, example)
  return { name, in: 'query', required: true, description, schema }
}

const ASSERT_IDS: Parameter = {
  name: 'assertIds',
  in: 'query',
  description:
    'Asset identifiers to report, each by a parameter of its own. Left out for all devices; one that is empty selects none.',
  schema: { type: 'array', items: { type: 'string' }, examples: [['CLR-1']] },
}

const LINK = 'The report operation of the interface as a link, which a browser or a spreadsheet can open.'

export const EXPORT_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/reports/daily',
    operationId: 'downloadDay',
    tag: 'Reports',
    summary: 'Figures of one day, as a link',
    description: LINK,
    access: READ,
    parameters: [dayParameter('day', 'The local day to report.', 20261120), ASSERT_IDS, ...FILE_PARAMETERS],
    answers: { 200: { description: 'The report.', content: withFiles(DAILY_ANSWER) } },
    errors: READS_STORE,
  },
  {
    method: 'GET',
    path: '/v1/reports/summary',
    operationId: 'downloadRange',
    tag: 'Reports',
    summary: 'Figures of a range of days, as a link',
    description: LINK,
    access: READ,
    parameters: [
      dayParameter('startDay', 'First local day of the range.', 20261120),
      dayParameter(
        'endDay',
        `Last local day of the range, counted too. A range has at most ${MOST_DAYS} days.`,
        20261126,
      ),
      ASSERT_IDS,
      ...FILE_PARAMETERS,
    ],
    answers: { 200: { description: 'The report.', content: withFiles(SUMMARY_ANSWER) } },
    errors: READS_STORE,
  },
]
