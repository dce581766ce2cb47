import { ADMIN_ALL } from '../api/access.ts'
import { MOST_DAYS } from '../api/rollup-routes.ts'
import { WRITES_STORE } from './error-answers.ts'
import { json, type Operation } from './operation.ts'
import { count, day, exampleOf, flag, object } from './schema.ts'

const DAY = 20261120
const days = { fromDay: day('First local day.', DAY), toDay: day('Last local day, counted too.', DAY + 1) }

const REQUEST = object(
  `The days to roll up, at most ${MOST_DAYS}.`,
  {
    ...days,
    wait: flag('Whether the answer comes when the rollup is done; false where it is left out.', true),
  },
  { optional: ['wait'] },
)

export const ASKED_ROLLUP = object('The rollup that was asked for.', days)

export const DONE_ROLLUP = object('The rollup that was done.', {
  ...days,
  deviceDays: count('Days of devices that were computed.', 'device-days', 2),
})

const waiting = exampleOf(REQUEST) as { fromDay: number; toDay: number }

export const ROLLUP_OPERATIONS: readonly Operation[] = [
  {
    method: 'POST',
    path: '/v1/rollups',
    operationId: 'rollUp',
    tag: 'Telemetry',
    summary: 'Roll up',
    description:
      'Rolls up what is due, and these local days again. Nobody has to: what is due is rolled up every `COOLER_REFRESH_MINUTES` by itself.',
    access: ADMIN_ALL,
    body: {
      description: 'Read as JSON whatever the `Content-Type` says. Unknown fields are ignored.',
      content: json(REQUEST, {
        wait: { summary: 'Answered when it is done', value: waiting },
        ask: { summary: 'Answered at once', value: { fromDay: waiting.fromDay, toDay: waiting.toDay } },
      }),
    },
    answers: {
      200: { description: 'With `wait`: the days are in the reports.', content: json(DONE_ROLLUP) },
      202: { description: 'Without `wait`: the rollup will come.', content: json(ASKED_ROLLUP) },
    },
    errors: [...WRITES_STORE, 'queue-unavailable', 'unsupported-media-type', 'other-rules'],
  },
]
