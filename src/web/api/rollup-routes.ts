import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { count, day, epochDayOf, flag, text } from '../../base/schema-fields.ts'
import { Type } from '../../base/typebox.ts'
import type { Rollups } from '../../rollup/rollups.ts'
import type { RollupReads } from '../../store/rollup-store.ts'
import { ADMIN_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { WRITES_STORE } from './error-answers.ts'

/** Most days of one request: ten years and some days. */
const MOST_DAYS = 3_700

const DAYS = { fromDay: day('First local day.', 20261120), toDay: day('Last local day, counted too.', 20261121) }
const EXAMPLE = { fromDay: 20261120, toDay: 20261121 }

const REQUEST = Type.Object(
  {
    ...DAYS,
    wait: Type.Optional(flag('Whether the answer comes when the rollup is done; false where it is left out.', true)),
  },
  {
    description: `The days to roll up, at most ${MOST_DAYS}. Read as JSON whatever the \`Content-Type\` says. Unknown fields are ignored.`,
    'x-examples': {
      wait: { summary: 'Answered when it is done', value: { ...EXAMPLE, wait: true } },
      ask: { summary: 'Answered at once', value: EXAMPLE },
    },
  },
)

const ROLL_UP = {
  operationId: 'rollUp',
  tags: ['Telemetry'],
  summary: 'Roll up',
  description:
    'Rolls up what is due, and these local days again. Nobody has to: what is due is rolled up every `COOLER_REFRESH_MINUTES` by itself.',
  access: ADMIN_ALL,
  body: REQUEST,
  response: {
    200: Type.Object(
      {
        ...DAYS,
        deviceDays: count('Days of devices that were computed.', 'device-days', 2),
        version: text(
          'The state of the store. A report asked for with it as `since` holds what was computed.',
          '812.40',
        ),
      },
      { $id: 'DoneRollup', description: 'With `wait`: the rollup that was done; its days are in the reports.' },
    ),
    202: Type.Object(DAYS, { $id: 'AskedRollup', description: 'Without `wait`: the rollup that will come.' }),
  },
  errors: [...WRITES_STORE, 'queue-unavailable', 'unsupported-media-type', 'other-rules'],
} as const satisfies Statement

/** `POST /v1/rollups`: rolls up local days. With `wait: true` it answers 200 when done, else 202 at once. */
export function rollupRoutes(app: FastifyInstance, rollups: Rollups, stored: Pick<RollupReads, 'reportVersion'>): void {
  resource(app, '/v1/rollups', {
    POST: call(ROLL_UP, async ({ body: { fromDay, toDay, wait = false } }, reply) => {
      const days = { from: epochDayOf(fromDay), to: epochDayOf(toDay) }
      if (days.to < days.from) throw new CoolerError('bad-request', 'toDay is before fromDay')
      if (days.to - days.from >= MOST_DAYS)
        throw new CoolerError('bad-request', `a rollup takes at most ${MOST_DAYS} days`)
      if (wait) {
        const { deviceDays } = await rollups.run(days)
        return { fromDay, toDay, deviceDays, version: await stored.reportVersion() }
      }
      await rollups.request(days)
      reply.code(202)
      return { fromDay, toDay }
    }),
  })
}
