import { expect, test } from 'vitest'
import { millisecondsInDay, millisecondsInHour } from '../../src/base/time.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { findNotices } from '../../src/notify/find-notices.ts'
import type { ExceptionMessage } from '../../src/notify/message.ts'
import type { NoticeStore } from '../../src/store/notices.ts'
import { eventually } from '../helpers/eventually.ts'
import { rollUpAll } from '../helpers/run-history.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { withDatabase } from '../helpers/with-database.ts'
import { messageOf, wholeMessages } from '../store/notice-fixture.ts'
import { SUBSCRIPTION } from './example-messages.ts'
import { settings } from './notice-settings.ts'
import { receiver, status } from './receiver.ts'

const MIDNIGHT = Date.parse('2026-03-02T00:00:00Z')
const NOW = MIDNIGHT + 2 * millisecondsInDay

/** A store with two coolers that were off, and this subscription. */
async function storeWith(subscription: object) {
  const store = temporaryStore()
  const put = (id: string, body: string) => store.notices.putSubscription(id, body, MIDNIGHT)
  await put(SUBSCRIPTION.id, JSON.stringify(subscription))
  const power = (deviceId: string, hours: number, on: boolean) => {
    return { deviceId, at: MIDNIGHT + hours * millisecondsInHour, type: 'power', on }
  }
  await new Landing(store.landing, { now: () => NOW, purgedBefore: () => 0 }).land({
    events: ['a', 'b'].flatMap((id) => [power(id, 1, false), power(id, 11, true)]),
  })
  await rollUpAll(store, settings, NOW)
  const find = () => findNotices({ store, settings, now: () => NOW })
  const told = async () => {
    const messages = await wholeMessages(store.notices)
    return messages.flatMap(({ body }) => (JSON.parse(body) as ExceptionMessage).items.map(({ deviceId }) => deviceId))
  }
  return { store, put, find, told }
}

test('damage keeps no message from being sent by a service', async () => {
  const { url, received } = await receiver(status(204))
  const { pipeline } = await temporaryService({ api: false, work: true }, { COOLER_WEBHOOK_PRIVATE: '1' })
  const call = (name: keyof NoticeStore, ...values: unknown[]) => pipeline.notify.run('call', { name, values })
  await call('putSubscription', 'other', '{', 0)
  await call('putSubscription', 'one', JSON.stringify({ ...SUBSCRIPTION, id: 'one', channel: hook(url) }), 0)
  await call('compose', [messageOf()], [])
  await eventually(() => received.length).toBe(1)
})

const hook = (url: string) => ({ type: 'webhook', url, format: 'json' })

test.each(['{"kind":"exceptions', '[]', '{"kind":"sms","secret":"s3cret"}', 'null'])(
  'a subscription that was damaged to %s keeps no other from being served, and the error names it without its text',
  async (text) => {
    const { put, find, told } = await storeWith(SUBSCRIPTION)
    await put('other', text)
    await expect(find()).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringMatching(/^subscription other cannot be read \((?!.*s3cret)/),
    })
    expect(await told()).toEqual(['a', 'b'])
  },
)

test('a notice that was damaged keeps no other from being sent', async () => {
  const { store, put, find, told } = await storeWith({
    ...SUBSCRIPTION,
    quiet: { from: '00:00', to: '23:59', timezone: 'UTC' },
  })
  await find()
  await put(SUBSCRIPTION.id, JSON.stringify(SUBSCRIPTION))
  withDatabase(store.file, (database) => {
    const [a] = database.prepare("SELECT number FROM device WHERE CAST(id AS TEXT) = 'a'").pluck().all()
    database.prepare('UPDATE notice SET body = substr(body, 2) WHERE device = ?').run(a)
  })
  for (const _ of [1, 2]) {
    await expect(find()).rejects.toMatchObject({ code: 'store-damaged', message: expect.stringContaining('a notice') })
    expect(await told()).toEqual(['b'])
  }
})
