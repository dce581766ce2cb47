import { expect, test } from 'vitest'
import type { MessageBody } from '../../../src/notify/message.ts'
import { withDatabase } from '../../helpers/with-database.ts'
import { digest, FILE, item, many } from '../../notify/example-messages.ts'
import { appFixture, expectError } from '../app-fixture.ts'
import { composeMessage, fail } from '../stored-messages.ts'

const URL = '/v1/messages'
const TEST: MessageBody = { type: 'test' }

test('a digest is listed with its counts, and has its items where it is asked for alone', async () => {
  const { get, service } = await appFixture()
  const body = digest([item(), item({ deviceId: 'CLR-2' }), item({ exception: 'warm', change: 'ended' })])
  const id = await composeMessage(service, body)
  const listed = {
    ...{ id, subscription: 'route-12', type: 'exceptions', name: null, day: 20261120, toDay: 20261120, version: 1 },
    ...{ createdAt: '2026-11-21T00:00:00.000Z', state: 'waiting', attempts: 0, doneAt: null, error: null },
    nextAt: expect.stringMatching(/Z$/),
    counts: [
      { exception: 'off', change: 'began', count: 2 },
      { exception: 'warm', change: 'ended', count: 1 },
    ],
  }
  expect((await get(URL)).json()).toEqual({ messages: [listed], next: null })
  expect((await get(`${URL}/${id}`)).json()).toEqual({ ...listed, body })
  expectError(await get(`${URL}/msg_none`), 'not-found', /no such message: "msg_none"/)
})

test('a file is named by what it is', async () => {
  const { get, service } = await appFixture()
  await composeMessage(service, { ...FILE, kind: 'backup' })
  expect((await get(URL)).json().messages).toMatchObject([{ type: 'backup', name: FILE.name, counts: [] }])
})

test('one that was damaged is listed without what it says, and keeps no other from being listed', async () => {
  const { get, service } = await appFixture()
  const [bad, good] = [await composeMessage(service, TEST), await composeMessage(service, TEST, { second: 1 })]
  withDatabase(service.config.store, (database) => {
    database.prepare("UPDATE message SET body = x'010203' WHERE id = ?").run(bad)
  })
  expect((await get(URL)).json().messages).toMatchObject([
    { id: good, type: 'test' },
    { id: bad, type: null, name: null, counts: [] },
  ])
  expectError(await get(`${URL}/${bad}`), 'store-damaged', /./)
})

test('pages go from the newest to the oldest, each message on one of them, also those of one instant', async () => {
  const { get, service } = await appFixture()
  const ids: string[] = []
  for (const second of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) ids.push(await composeMessage(service, TEST, { second }))
  ids.push(await composeMessage(service, TEST, { subscription: 'other', second: 11 }))
  const seen: string[] = []
  let after = ''
  do {
    const { messages, next } = (await get(`${URL}?limit=4${after}`)).json()
    seen.push(...messages.map(({ id }: { id: string }) => id))
    after = next === null ? '' : `&after=${next}`
  } while (after !== '')
  expect(seen.slice(2)).toEqual(ids.slice(0, 11).toReversed())
  expect(seen.slice(0, 2).sort()).toEqual(ids.slice(11).sort())
  const whole = (await get(`${URL}?limit=13`)).json()
  expect(whole.messages.map(({ id }: { id: string }) => id)).toEqual(seen)
  expect(whole.next).toBe(null)
})

test('a page with large messages counts all of their items', async () => {
  const { get, service } = await appFixture()
  await composeMessage(service, digest(many(20_000)))
  const [{ counts }] = (await get(URL)).json().messages
  expect(counts.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(20_000)
})

test('those of one state, and of one subscription, can be asked for alone', async () => {
  const { get, service } = await appFixture()
  const failed = await composeMessage(service, TEST)
  await composeMessage(service, TEST, { second: 1 })
  await composeMessage(service, TEST, { subscription: 'other' })
  await fail(service, failed)
  const found = async (query: string) => (await get(`${URL}?${query}`)).json().messages
  expect(await found('state=failed')).toMatchObject([
    { id: failed, error: 'the receiver answered 503', nextAt: null, doneAt: expect.stringMatching(/Z$/) },
  ])
  expect(await found('subscription=other')).toHaveLength(1)
  expect(await found('subscription=other&state=failed')).toEqual([])
  expect(await found('subscription=none')).toEqual([])
})

test.each([
  'limit=0',
  'limit=201',
  'limit=x',
  'state=odd',
  'after=x',
  'after=1-msg_x',
  'after=',
  'state=sent&state=failed',
])('the parameter %s is refused', async (query) => {
  const { get } = await appFixture()
  expectError(await get(`${URL}?${query}`), 'bad-request', /^(limit|state|after) must be /)
})

test('a message that was given up waits again, under its id; others are left as they are', async () => {
  const { get, post, service } = await appFixture()
  const id = await composeMessage(service, TEST)
  expectError(await post(`${URL}/${id}/retry`, ''), 'bad-request', /only a failed message .* is waiting$/)
  await fail(service, id)
  const answer = await post(`${URL}/${id}/retry`, '')
  expect(answer.statusCode).toBe(202)
  expect(answer.json()).toEqual({ id })
  expect((await get(`${URL}/${id}`)).json()).toMatchObject({ state: 'waiting', attempts: 0, doneAt: null })
  expectError(await post(`${URL}/none/retry`, ''), 'not-found')
})
