import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { formatInstant, utcDayOf } from '../../base/time.ts'
import { type Static, Type } from '../../base/typebox.ts'
import { shownChannel, withKeptSecrets } from '../../notify/channel.ts'
import type { TestMessage } from '../../notify/message.ts'
import { newMessageId } from '../../notify/message-id.ts'
import { channelOf, readSubscription } from '../../notify/stored.ts'
import { checkSubscription, type Subscription } from '../../notify/subscription.ts'
import { isDamage } from '../../store/damaged-events.ts'
import type { NoticeReads, NoticeStore, StoredSubscription } from '../../store/notices.ts'
import { ADMIN_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { QUEUED } from './schema/message.ts'
import { SUBSCRIPTION, SUBSCRIPTION_ID, SUBSCRIPTION_TO_PUT, SUBSCRIPTIONS } from './schema/subscription.ts'

const ONE = Type.Object({ id: SUBSCRIPTION_ID })

const REMOVED = Type.Object(
  { id: SUBSCRIPTION_ID },
  { $id: 'RemovedSubscription', description: 'The subscription that was removed.' },
)

const LIST = {
  operationId: 'listSubscriptions',
  tags: ['Messages'],
  summary: 'All subscriptions',
  description: 'Who is told what, where and when, with what is secret left out.',
  access: ADMIN_ALL,
  response: { 200: SUBSCRIPTIONS },
  errors: READS_STORE,
} as const satisfies Statement

const PUT_ONE = {
  operationId: 'putSubscription',
  tags: ['Messages'],
  summary: 'Make or replace a subscription',
  description:
    'Replaces all of it. One that has ended is in use again. What was told before stays told: only changes from then on make messages.',
  access: ADMIN_ALL,
  params: ONE,
  body: SUBSCRIPTION_TO_PUT,
  response: { 200: SUBSCRIPTION },
  errors: [...WRITES_STORE, 'not-found', 'unsupported-media-type'],
} as const satisfies Statement

const REMOVE = {
  operationId: 'removeSubscription',
  tags: ['Messages'],
  summary: 'Remove a subscription',
  description: 'Removes it with all that is still to be told. Its messages stay; those that wait will fail.',
  access: ADMIN_ALL,
  params: ONE,
  response: { 200: REMOVED },
  errors: [...WRITES_STORE, 'not-found'],
} as const satisfies Statement

const TEST = {
  operationId: 'testSubscription',
  tags: ['Messages'],
  summary: 'Send a test',
  description: 'Writes a test message, which is sent like all others: after those that wait already.',
  access: ADMIN_ALL,
  params: ONE,
  response: { 202: QUEUED },
  errors: [...WRITES_STORE, 'not-found'],
} as const satisfies Statement

/** The writes that these routes need. */
export type WriteNotices = Pick<NoticeStore, 'putSubscription' | 'removeSubscription' | 'compose' | 'retry'>

export interface NoticeParts {
  notices: Pick<NoticeReads, 'subscriptions' | 'messages' | 'message'>
  writeNotices: WriteNotices
  now: () => number
}

/** `GET /v1/subscriptions`, `PUT` and `DELETE /v1/subscriptions/{id}`, and `POST .../test`. */
export function subscriptionRoutes(app: FastifyInstance, parts: NoticeParts, bodyLimit: number): void {
  const { notices, writeNotices, now } = parts
  const stored = async (id: string) => (await notices.subscriptions()).find((one) => one.id === id)
  resource(app, '/v1/subscriptions', {
    GET: call(LIST, async () => describeAll(await notices.subscriptions())),
  })
  const calls = {
    PUT: call(PUT_ONE, async ({ params: { id }, body }) => {
      const subscription = subscriptionOf(id, body, await stored(id))
      await writeNotices.putSubscription(id, JSON.stringify(subscription), now())
      const kept = await stored(id)
      if (kept === undefined) throw noSuchSubscription(id) // Somebody has removed it in between.
      return describe(kept)
    }),
    DELETE: call(REMOVE, async ({ params: { id } }) => {
      if (!(await writeNotices.removeSubscription(id))) throw noSuchSubscription(id)
      return { id }
    }),
  }
  resource(app, '/v1/subscriptions/:id', calls, { bodyLimit })
  resource(app, '/v1/subscriptions/:id/test', {
    POST: call(TEST, async ({ params: { id } }, reply) => {
      const one = await stored(id)
      if (one === undefined) throw noSuchSubscription(id)
      if (one.endedWhy !== null)
        throw new CoolerError('bad-request', `the subscription has ended (${one.endedWhy}): put it again first`)
      reply.code(202)
      return { id: await composeTest(parts, id) }
    }),
  })
}

const noSuchSubscription = (id: string): CoolerError =>
  new CoolerError('not-found', `no such subscription: ${JSON.stringify(id)}`)

function describeAll(all: readonly StoredSubscription[]): Static<typeof SUBSCRIPTIONS> {
  const answer: Static<typeof SUBSCRIPTIONS> = { subscriptions: [], unreadable: [] }
  for (const one of all) {
    try {
      answer.subscriptions.push(describe(one))
    } catch (error) {
      if (!isDamage(error)) throw error
      answer.unreadable.push({ id: one.id, message: error.message })
    }
  }
  return answer
}

function describe(stored: StoredSubscription): Static<typeof SUBSCRIPTION> {
  const { createdAt, changedAt, endedWhy } = stored
  const subscription = readSubscription(stored)
  return {
    ...({ ...subscription, channel: shownChannel(subscription.channel) } as Subscription),
    ...{ createdAt: formatInstant(createdAt), changedAt: formatInstant(changedAt), endedWhy },
  }
}

/** Returns the subscription of a body. Masked parts of its channel are restored from the stored subscription. */
function subscriptionOf(
  id: string,
  body: Readonly<Record<string, unknown>>,
  kept: StoredSubscription | undefined,
): Subscription {
  if (body.id !== undefined && body.id !== id)
    throw new CoolerError('bad-request', `id must be that of the path, ${JSON.stringify(id)}, or be left out`)
  const before = kept === undefined ? undefined : channelOf(kept)
  return checkSubscription({ ...body, id, channel: withKeptSecrets(body.channel, before) })
}

/** Another call for the same subscription may take a version first; so often another one is tried. */
const MOST_TRIES = 5

async function composeTest({ notices, writeNotices, now }: NoticeParts, subscription: string): Promise<string> {
  const body: TestMessage = { type: 'test' }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const createdAt = now()
    const day = utcDayOf(createdAt)
    const [last] = await notices.messages({ subscription, type: body.type, day, limit: 1 })
    const id = newMessageId(createdAt)
    const about = { subscription, type: body.type, day, toDay: day, version: (last?.version ?? 0) + 1 }
    const message = { id, ...about, createdAt, body: JSON.stringify(body), hash: null }
    if (await writeNotices.compose([message], [])) return id
  }
  throw new CoolerError('store-busy', 'too many tests of this subscription at once: try again')
}
