import { describe, expect, test } from 'vitest'
import { withDatabase } from '../../helpers/with-database.ts'
import { appFixture, expectError } from '../app-fixture.ts'
import { end } from '../stored-messages.ts'

const URL = '/v1/subscriptions'
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

const webhook = {
  kind: 'exceptions',
  channel: { type: 'webhook', url: 'https://example.org/hooks/s3cret?token=a', format: 'json', secret: SECRET },
  exceptions: { off: { hours: 6 }, warm: {} },
  when: 'settled',
} as const

const mail = { ...webhook, channel: { type: 'email', to: ['ops@example.org'] } }

const fixture = async () => {
  const { app, get, put, post, service } = await appFixture()
  const stored = async (id: string) =>
    (await service.pipeline.reader.notices.subscriptions()).find((one) => one.id === id)
  const remove = (id: string) => app.inject({ method: 'DELETE', url: `${URL}/${id}` })
  return { app, get, put, post, service, stored, remove }
}

test('none are there at first; one that is put is listed, in the order of ids', async () => {
  const { get, put } = await fixture()
  expect((await get(URL)).json()).toEqual({ subscriptions: [], unreadable: [] })
  const from = Date.now()
  const answer = await put(`${URL}/b`, mail)
  expect(answer.statusCode).toBe(200)
  const { createdAt, changedAt, ...rest } = answer.json()
  expect(rest).toEqual({ id: 'b', ...mail, endedWhy: null })
  expect(changedAt).toBe(createdAt)
  expect(Date.parse(createdAt) >= from && Date.parse(createdAt) <= Date.now()).toBe(true)
  await put(`${URL}/a`, { id: 'a', ...mail })
  expect((await get(URL)).json().subscriptions).toMatchObject([{ id: 'a' }, answer.json()])
})

test('one that was damaged is listed as such, and can be put again or removed', async () => {
  const { get, put, remove, service } = await fixture()
  await put(`${URL}/a`, mail)
  await put(`${URL}/b`, webhook)
  withDatabase(service.config.store, (database) => {
    database.prepare('UPDATE subscription SET body = substr(body, 2)').run()
  })
  const message = expect.stringMatching(/cannot be read \(it is not JSON\)$/)
  const unreadable = [
    { id: 'a', message },
    { id: 'b', message },
  ]
  expect((await get(URL)).json()).toEqual({ subscriptions: [], unreadable })
  expect((await put(`${URL}/a`, mail)).statusCode).toBe(200)
  expect((await remove('b')).statusCode).toBe(200)
  expect((await get(URL)).json()).toMatchObject({ subscriptions: [{ id: 'a' }], unreadable: [] })
})

test('of a webhook no answer shows more than its host', async () => {
  const { get, put } = await fixture()
  const answers = [await put(`${URL}/a`, webhook), await get(URL)]
  for (const { body } of answers) {
    expect(body).toContain('"url":"https://example.org/…"')
    expect(body).toContain('"secret":"…"')
    expect(body).not.toMatch(/s3cret|token|whsec_/)
  }
})

describe('a subscription that is put as it was shown', () => {
  test('keeps its secrets, and what else is changed is changed', async () => {
    const { put, stored } = await fixture()
    const { createdAt, changedAt, endedWhy, ...shown } = (await put(`${URL}/a`, webhook)).json()
    expect((await put(`${URL}/a`, { ...shown, when: 'provisional' })).statusCode).toBe(200)
    expect(JSON.parse((await stored('a'))?.body ?? '')).toEqual({ id: 'a', ...webhook, when: 'provisional' })
  })

  test('loses the secret that it leaves out, and takes a new one', async () => {
    const { put, stored } = await fixture()
    await put(`${URL}/a`, webhook)
    const { secret, ...without } = webhook.channel
    await put(`${URL}/a`, { ...webhook, channel: without })
    expect(JSON.parse((await stored('a'))?.body ?? '').channel).toEqual(without)
  })

  test('is refused where nothing is kept, with no word of the secret', async () => {
    const { put, stored } = await fixture()
    const { channel } = (await put(`${URL}/a`, webhook)).json()
    expectError(await put(`${URL}/b`, { ...webhook, channel }), 'bad-request', /^channel: url must be an https URL/)
    const other = { ...webhook.channel, url: 'https://example.org/hooks', secret: '…' }
    expectError(await put(`${URL}/b`, { ...webhook, channel: other }), 'bad-request', /^channel: secret must be whsec_/)
    const wrong = await put(`${URL}/b`, { ...webhook, channel: { ...webhook.channel, secret: 'whsec_hidden' } })
    expectError(wrong, 'bad-request', /secret must be/)
    expect(wrong.body).not.toContain('hidden')
    expect(await stored('b')).toBe(undefined)
  })
})

test.each([
  [{ ...mail, id: 'b' }, /^id must be that of the path, "a", or be left out$/],
  [{ ...mail, kind: 'sms' }, /^kind must be one of exceptions, report, backup$/],
  [{ ...mail, more: 1 }, /more/],
  [{ ...mail, exceptions: {} }, /^exceptions must be an object with at least one of /],
  [{ ...mail, channel: { type: 'folder', path: 'a' } }, /^channel.type must be one of webhook, email, mqtt$/],
  [{ ...mail, channel: undefined }, /^channel.type must be/],
  [{}, /^kind must be/],
])('%j is refused', async (body, message) => {
  const { put, stored } = await fixture()
  expectError(await put(`${URL}/a`, body), 'bad-request', message)
  expect(await stored('a')).toBe(undefined)
})

test('an id that no subscription can have is refused', async () => {
  const { put } = await fixture()
  expectError(await put(`${URL}/a%2Fb`, mail), 'bad-request', /^id must be 1 to 64 letters/)
})

test('one that has ended says why, sends no test, and is in use again when it is put', async () => {
  const { put, get, post, service } = await fixture()
  await put(`${URL}/a`, mail)
  await end(service, 'a', 'the receiver answered 410')
  const [ended] = (await get(URL)).json().subscriptions
  expect(ended.endedWhy).toBe('the receiver answered 410')
  expectError(await post(`${URL}/a/test`, ''), 'bad-request', /has ended \(the receiver answered 410\)/)
  expect((await put(`${URL}/a`, mail)).json()).toMatchObject({ endedWhy: null, createdAt: ended.createdAt })
})

test('one that is removed is gone; its messages stay', async () => {
  const { put, get, post, remove } = await fixture()
  expectError(await remove('a'), 'not-found', /no such subscription: "a"/)
  await put(`${URL}/a`, mail)
  await post(`${URL}/a/test`, '')
  expect((await remove('a')).json()).toEqual({ id: 'a' })
  expectError(await remove('a'), 'not-found')
  expect((await get(URL)).json()).toEqual({ subscriptions: [], unreadable: [] })
  expect((await get('/v1/messages')).json().messages).toMatchObject([{ subscription: 'a', type: 'test' }])
})

test('tests are messages with versions of their own, also when several are asked for at once', async () => {
  const { put, get, post } = await fixture()
  expectError(await post(`${URL}/a/test`, ''), 'not-found')
  await put(`${URL}/a`, { ...mail, enabled: false })
  const answers = await Promise.all([1, 2, 3].map(() => post(`${URL}/a/test`, '')))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202])
  const { messages } = (await get('/v1/messages?subscription=a')).json()
  const ids = (all: { id: string }[]) => all.map(({ id }) => id).sort()
  expect(ids(messages)).toEqual(ids(answers.map((answer) => answer.json())))
  const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))
  expect(messages.map(({ version }: { version: number }) => version).sort()).toEqual([1, 2, 3])
  expect(messages[0]).toMatchObject({ type: 'test', state: 'waiting', attempts: 0, error: null, counts: [] })
  expect(today - messages[0].day).toBeLessThanOrEqual(1)
})
