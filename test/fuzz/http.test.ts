import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { expect, test } from 'vitest'
import type { Status } from '../../src/web/api/status-routes.ts'
import { DAY } from '../helpers/events.ts'
import { appFixture, DAILY } from '../web/app-fixture.ts'
import { cooler } from '../web/every-figure.ts'
import { FUZZ_TIMEOUT_MS, fuzzed, tellRuns } from './fuzz-runs.ts'
import { expectAnswer, servedBody } from './http-answers.ts'
import { bytesOf } from './http-bodies.ts'
import { fuzzRequest } from './http-requests.ts'
import { expand } from './json-text.ts'

/** What service.ts tells is no concern of these tests. */
const status = async (): Promise<Status> => ({ queue: null }) as Status

test(
  'whatever is asked is answered well or refused in the envelope, and what is asked next as if it were the first',
  async () => {
    const startedAt = performance.now()
    const { app, land, rollUp, post } = await appFixture({ COOLER_BODY_LIMIT_MB: '4' }, { status })
    await land(cooler('known'))
    await rollUp(DAY)
    const known = () =>
      servedBody(async () => {
        const { statusCode, body } = await post(DAILY, { day: DAY, assertIds: ['known'] })
        return { status: statusCode, body }
      })
    const expected = await known()
    expect(expected).toContain('"visitorCount":7')
    await fc.assert(
      fc.asyncProperty(fuzzRequest, async ({ method, url, headers, body }) => {
        const payload = body === null ? {} : { payload: bytesOf(body) }
        const grown = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, expand(value)]))
        const request = { method, url: expand(url), headers: grown, ...payload }
        const answer = await app.inject(request as InjectOptions)
        expectAnswer({ method, status: answer.statusCode, headers: answer.headers, body: answer.body })
        expect(await known()).toBe(expected)
      }),
      fuzzed('requests'),
    )
    tellRuns('requests', startedAt)
  },
  FUZZ_TIMEOUT_MS,
)
