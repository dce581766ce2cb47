import { expect, test } from 'vitest'
import { subscriptionFindings } from '../../src/cli/doctor/subscription-findings.ts'
import type { Subscription } from '../../src/notify/subscription.ts'
import { type Settings, testConfig } from '../helpers/temporary-service.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { SUBSCRIPTION } from '../notify/example-messages.ts'
import { backupTo, reportTo } from '../notify/sendings.ts'
import { messageOf } from '../store/notice-fixture.ts'

const TO_FOLDER = { type: 'folder', path: 'reports' } as const
const TO_S3 = { type: 's3', bucket: 'cooler-reports' } as const
const TO_MQTT: Subscription = { ...SUBSCRIPTION, id: 'mqtt', channel: { type: 'mqtt', topic: 'a' } }
const TO_WEBHOOK: Subscription = {
  ...SUBSCRIPTION,
  channel: { type: 'webhook', url: 'https://example.org/', format: 'json' },
}

/** Returns what is found of subscriptions, as `severity message: advice`. */
async function found(settings: Settings, subscriptions: readonly (string | Subscription)[]): Promise<string[]> {
  const { notices } = temporaryStore()
  for (const one of subscriptions) {
    const [id, body] = typeof one === 'string' ? ['damaged', one] : [one.id, JSON.stringify(one)]
    await notices.putSubscription(id, body, Date.now())
  }
  const findings = await subscriptionFindings(testConfig(settings), notices)
  expect(findings.every(({ check }) => check === 'subscriptions')).toBe(true)
  return findings.map(({ severity, message, advice }) => `${severity} ${message}: ${advice}`)
}

test('subscriptions that can be served are counted', async () => {
  expect(await found({}, [])).toEqual([expect.stringMatching(/^ok 0 are in the store/)])
  expect(await found({}, [TO_WEBHOOK])).toEqual([expect.stringMatching(/^ok 1 are/)])
  const folder = { COOLER_DELIVERY_FOLDER: '/srv' }
  expect(await found(folder, [reportTo(TO_FOLDER), backupTo(TO_FOLDER)])).toEqual([expect.stringMatching(/^ok 2 are/)])
})

test.each([
  [SUBSCRIPTION, /^warning route-12 goes to email.*: set COOLER_SMTP_URL and COOLER_MAIL_FROM/],
  [TO_MQTT, /^warning mqtt goes to mqtt.*: set COOLER_NOTIFY_MQTT_URL/],
  [reportTo(TO_FOLDER), /^warning route-12 goes to folder.*: set COOLER_DELIVERY_FOLDER/],
  [backupTo(TO_S3), /^warning nightly goes to s3.*: set COOLER_S3_ENDPOINT/],
  ['{"id":', /^failure subscription damaged cannot be read \(it is not JSON\): put it again/],
  [JSON.stringify({ ...TO_WEBHOOK, when: 'now' }), /^failure subscription damaged cannot be read \(when must be/],
])('one that cannot be served is told of (%#)', async (subscription, finding) => {
  expect(await found({}, [TO_WEBHOOK, subscription])).toEqual([expect.stringMatching(finding)])
})

test('one that is off needs nothing', async () => {
  expect(await found({}, [{ ...SUBSCRIPTION, enabled: false }])).toEqual([expect.stringMatching(/^ok /)])
})

test('copies of a store in PostgreSQL are not made', async () => {
  const settings = { COOLER_STORE: 'postgres://localhost/coolers', COOLER_DELIVERY_FOLDER: '/srv' }
  expect(await found(settings, [backupTo(TO_FOLDER)])).toEqual([
    expect.stringMatching(/^warning nightly copies a store that is a file.*: .*point-in-time recovery/),
  ])
})

test('one that has ended, and messages that were given up, are told of', async () => {
  const { notices } = temporaryStore()
  const now = Date.now()
  await notices.putSubscription('one', JSON.stringify({ ...TO_WEBHOOK, id: 'one' }), now)
  await notices.endSubscription('one', 'the receiver answered 410')
  const message = messageOf()
  await notices.compose([message], [])
  await notices.attempted({ id: message.id, state: 'failed', nextAt: now, now, error: 'refused' })
  expect(await subscriptionFindings(testConfig(), notices)).toMatchObject([
    { severity: 'warning', message: 'one has ended: the receiver answered 410' },
    { severity: 'warning', message: 'messages that were given up: 1' },
  ])
})
