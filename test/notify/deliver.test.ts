import { expect, test } from 'vitest'
import { millisecondsInHour, millisecondsInMinute } from '../../src/base/time.ts'
import { deliver } from '../../src/notify/deliver.ts'
import { newMessageId } from '../../src/notify/message-id.ts'
import { openSenders } from '../../src/notify/open-senders.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { receiver, status } from './receiver.ts'

const START = Date.parse('2026-03-02T00:00:00Z')
const NEVER = new AbortController().signal

/** A store with subscriptions that go to a receiver, which answers with these statuses and then with the last one. */
async function outbox(...statuses: readonly number[]) {
  let nth = 0
  const { url, received } = await receiver((response, request) => {
    const code = statuses[Math.min(nth++, statuses.length - 1)]
    status(code)(response, request)
  })
  const store = temporaryStore()
  const settings = { smtpUrl: null, mailFrom: null, mqttUrl: null, mqtt: { username: null, password: null } }
  const senders = openSenders({ ...settings, allowPrivate: true, links: null })
  const channel = { type: 'webhook', url, format: 'json' }
  const put = (id: string, more = {}) =>
    store.notices.putSubscription(
      id,
      JSON.stringify({ id, kind: 'exceptions', exceptions: { off: {} }, when: 'settled', channel, ...more }),
      START,
    )
  await put('one')
  const add = async (subscription: string, version: number, at = START): Promise<string> => {
    const id = newMessageId(at)
    const body = JSON.stringify({ type: 'test' })
    const day = { day: 20_000, toDay: 20_000, version }
    await store.notices.compose([{ id, subscription, type: 'test', ...day, createdAt: at, body, hash: null }], [])
    return id
  }
  const run = (now: number) =>
    deliver(
      {
        ...{ notices: store.notices, senders, now: () => now, onAttempt: () => {} },
        fileOf: () => Promise.reject(new Error('no file')),
      },
      NEVER,
    )
  const ids = () => received.map(({ headers }) => headers['webhook-id'])
  return { notices: store.notices, put, add, run, ids }
}

test('a message that fails is sent again later under the same id, and those behind it wait', async () => {
  const { notices, add, run, ids } = await outbox(500, 204)
  const first = await add('one', 1)
  const second = await add('one', 2, START + 1)
  await run(START + 10)
  expect(ids()).toEqual([first])
  expect(await notices.message(first)).toMatchObject({ state: 'waiting', attempts: 1, error: expect.any(String) })
  await run(START + 1000)
  expect(ids()).toEqual([first])
  await run(START + millisecondsInMinute)
  expect(ids()).toEqual([first, first, second])
  expect(await notices.message(first)).toMatchObject({ state: 'sent', attempts: 2, error: null })
})

test('a message of another subscription does not wait for it', async () => {
  const { put, add, run, ids } = await outbox(500, 204)
  await put('two')
  const first = await add('one', 1)
  await run(START + 1)
  const other = await add('two', 1, START + 2)
  await run(START + 3)
  expect(ids()).toEqual([first, other])
})

test('a message is given up after about a day, and sent once more if somebody asks', async () => {
  const { notices, add, run, ids } = await outbox(...new Array(9).fill(503), 204)
  const id = await add('one', 1)
  let now = START
  for (let attempt = 0; attempt < 20; attempt++) {
    await run(now)
    now = Math.max(now + 1, (await notices.message(id))?.nextAt ?? 0)
  }
  expect(await notices.message(id)).toMatchObject({ state: 'failed', attempts: 9 })
  expect(ids()).toHaveLength(9)
  expect(now - START).toBeGreaterThan(20 * millisecondsInHour)
  expect(now - START).toBeLessThan(32 * millisecondsInHour)
  expect(await notices.retry(id, now)).toBe(true)
  await run(now)
  expect(await notices.message(id)).toMatchObject({ state: 'sent', attempts: 1 })
})

test('a receiver that is gone ends the subscription, and the rest of its messages are given up', async () => {
  const { notices, put, add, run, ids } = await outbox(410, 204)
  const [first, second] = [await add('one', 1), await add('one', 2, START + 1)]
  await run(START + 10)
  expect(ids()).toEqual([first])
  expect(await notices.subscriptions()).toMatchObject([{ endedWhy: expect.stringContaining('410') }])
  expect(await notices.message(second)).toMatchObject({ state: 'failed', error: 'the subscription has ended' })
  await put('one')
  expect(await notices.subscriptions()).toMatchObject([{ endedWhy: null }])
})

test('a message of a subscription that was removed, or whose channel is not set up, says so', async () => {
  const { notices, put, add, run } = await outbox(204)
  await put('mail', { channel: { type: 'email', to: ['a@example.org'] } })
  const [gone, mail] = [await add('none', 1), await add('mail', 1)]
  await run(START + 10)
  expect(await notices.message(gone)).toMatchObject({ state: 'failed', error: expect.stringContaining('no such') })
  expect(await notices.message(mail)).toMatchObject({ state: 'waiting', error: expect.stringContaining('email') })
})

test('two processes send each message once', async () => {
  const { put, add, run, ids } = await outbox(204)
  const expected: string[] = []
  for (let nth = 0; nth < 40; nth++) {
    await put(`s${nth}`)
    expected.push(await add(`s${nth}`, 1))
  }
  await Promise.all([run(START + 10), run(START + 10), run(START + 10)])
  expect(ids().sort()).toEqual(expected.sort())
})
