import { expect, test } from 'vitest'
import { linksTo } from '../../../src/notify/links.ts'
import type { MessageBody } from '../../../src/notify/message.ts'
import { PAYLOAD_TYPES, type PayloadType, payloadOf } from '../../../src/notify/render/payload.ts'
import { digest, FILE, item, LINKS, many, REPORT, SUBSCRIPTION } from '../../notify/example-messages.ts'
import { checkAt, DOCUMENT, expectValid } from './documented.ts'

/** Bodies of messages by the type of their payload. */
const BODIES: Record<PayloadType, MessageBody[]> = {
  'exceptions.digest': [
    digest(many(20)),
    digest([item({ exception: 'no-power-data', value: null, limit: null, unit: null, address: null })]),
  ],
  'exceptions.correction': [
    digest([item({ change: 'ended', status: 'revised', causes: ['late-events'], refersTo: 'msg_1' })], true),
  ],
  'report.ready': [FILE],
  'backup.ready': [{ ...FILE, kind: 'backup' }],
  test: [{ type: 'test' }],
}

test('there is a webhook of each type of payload', () => {
  expect(Object.keys(DOCUMENT.webhooks)).toEqual(PAYLOAD_TYPES)
})

test.each(PAYLOAD_TYPES)('payloads of the type %s are as the document says, field by field', (type) => {
  const check = checkAt('webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema')
  for (const body of BODIES[type]) {
    const subscription = body.type === 'file' ? REPORT : SUBSCRIPTION
    const message = { id: 'msg_1', subscription: subscription.id, createdAt: Date.UTC(2026, 10, 21), body }
    for (const links of [LINKS, null, linksTo('https://coolers.example.org/behind')]) {
      for (const file of [null, { path: '/tmp/a', bytes: 12 }]) {
        const payload = payloadOf({ message, subscription, language: 'zh', links }, file)
        expectValid(check, payload, type)
        expect(check({ ...payload, data: { ...payload.data, more: 1 } }), type).toBe(false)
      }
    }
  }
})
