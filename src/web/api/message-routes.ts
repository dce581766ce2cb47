import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { integer, oneOf } from '../../base/schema-fields.ts'
import { formatDay, formatInstant, instantOrNull } from '../../base/time.ts'
import { type Static, Type } from '../../base/typebox.ts'
import { Damages } from '../../notify/damages.ts'
import type { MessageBody } from '../../notify/message.ts'
import { countsOf } from '../../notify/render/counts.ts'
import { MESSAGE_STATES, type MessageFilter, type MessageHead, type StoredMessage } from '../../store/notices.ts'
import { ADMIN_ALL } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { CURSOR, type MESSAGE, MESSAGE_ID, MESSAGES, QUEUED, WHOLE_MESSAGE } from './schema/message.ts'
import { SUBSCRIPTION_ID } from './schema/subscription.ts'
import type { NoticeParts } from './subscription-routes.ts'

/** Messages on one page. Fewer than elsewhere: each may have thousands of items, which are counted. */
const PAGE = { default: 50, most: 200 } as const

/** Messages that are read at once. */
const STEP = 10

const ONE = Type.Object({ id: MESSAGE_ID })

const LIST = {
  operationId: 'listMessages',
  tags: ['Messages'],
  summary: 'Messages',
  description: 'Messages with what became of them, newest first, in pages. They are kept for 90 days.',
  access: ADMIN_ALL,
  querystring: Type.Object({
    subscription: Type.Optional(SUBSCRIPTION_ID),
    state: Type.Optional(oneOf('Only messages in this state.', MESSAGE_STATES, 'failed')),
    limit: Type.Optional(
      integer(`Most messages of the page; ${PAGE.default} where it is left out.`, 'messages', PAGE.default, {
        minimum: 1,
        maximum: PAGE.most,
      }),
    ),
    after: Type.Optional(CURSOR),
  }),
  response: { 200: MESSAGES },
  errors: READS_STORE,
} as const satisfies Statement

const READ_ONE = {
  operationId: 'readMessage',
  tags: ['Messages'],
  summary: 'One message',
  description: 'A message with all that it says.',
  access: ADMIN_ALL,
  params: ONE,
  response: { 200: WHOLE_MESSAGE },
  errors: [...READS_STORE, 'not-found'],
} as const satisfies Statement

const RETRY = {
  operationId: 'retryMessage',
  tags: ['Messages'],
  summary: 'Send a failed message again',
  description: 'Lets a message that was given up wait again, under the same id and with all its attempts anew.',
  access: ADMIN_ALL,
  params: ONE,
  response: { 202: QUEUED },
  errors: [...WRITES_STORE, 'not-found'],
} as const satisfies Statement

/** `GET /v1/messages` (in pages, by `after`), `GET /v1/messages/{id}` and `POST .../retry`. */
export function messageRoutes(app: FastifyInstance, { notices, writeNotices, now }: NoticeParts): void {
  const stored = async (id: string): Promise<StoredMessage> => {
    const message = await notices.message(id)
    if (message === null) throw new CoolerError('not-found', `no such message: ${JSON.stringify(id)}`)
    return message
  }
  /** Returns what a message says; null if it cannot be read or was removed meanwhile. */
  const readBody = async (id: string): Promise<MessageBody | null> => {
    const message = await new Damages().pass(notices.message(id))
    return message === null ? null : bodyOf(message)
  }
  resource(app, '/v1/messages', {
    GET: call(LIST, async ({ query: { subscription, state, limit = PAGE.default, after } }) => {
      const messages: Static<typeof MESSAGE>[] = []
      let before = after === undefined ? undefined : cursorOf(after)
      let isLast = false
      while (messages.length < limit && !isLast) {
        const most = Math.min(STEP, limit - messages.length)
        const filter: MessageFilter = { subscription, state, before, limit: most + 1 }
        const found = await notices.messages(filter)
        for (const head of found.slice(0, most)) {
          messages.push(describe(head, await readBody(head.id)))
          await setImmediate() // Large messages take some time to read: others have their turn in between.
        }
        isLast = found.length <= most
        before = found[most - 1]
      }
      return { messages, next: isLast || before === undefined ? null : `${before.createdAt}-${before.id}` }
    }),
  })
  resource(app, '/v1/messages/:id', {
    GET: call(READ_ONE, async ({ params: { id } }) => {
      const message = await stored(id)
      const body = bodyOf(message)
      return { ...describe(message, body), body }
    }),
  })
  resource(app, '/v1/messages/:id/retry', {
    POST: call(RETRY, async ({ params: { id } }, reply) => {
      const { state } = await stored(id)
      if (!(await writeNotices.retry(id, now())))
        throw new CoolerError(
          'bad-request',
          `only a failed message can be sent again; the state of this one is ${state}`,
        )
      reply.code(202)
      return { id }
    }),
  })
}

const bodyOf = ({ body }: StoredMessage): MessageBody => JSON.parse(body) as MessageBody

/** Returns where a page begins, by a text that has passed the check of CURSOR. */
function cursorOf(text: string): NonNullable<MessageFilter['before']> {
  const dash = text.indexOf('-')
  return { createdAt: Number(text.slice(0, dash)), id: text.slice(dash + 1) }
}

function describe(head: MessageHead, body: MessageBody | null): Static<typeof MESSAGE> {
  const { id, subscription, day, toDay, version, createdAt, state, attempts, nextAt, doneAt, error } = head
  return {
    ...{ id, subscription, type: body?.type === 'file' ? body.kind : (body?.type ?? null) },
    name: body?.type === 'file' ? body.name : null,
    ...{ day: formatDay(day), toDay: formatDay(toDay), version, createdAt: formatInstant(createdAt), state, attempts },
    nextAt: state === 'waiting' ? formatInstant(nextAt) : null,
    doneAt: instantOrNull(doneAt),
    error,
    counts: body?.type === 'exceptions' ? countsOf(body.items) : [],
  }
}
