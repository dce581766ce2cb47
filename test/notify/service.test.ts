import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { formatDay, millisecondsInDay, millisecondsInHour, utcDayOf } from '../../src/base/time.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryService } from '../helpers/temporary-service.ts'
import { receiver, status } from './receiver.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

test('a service tells by itself what a day that has settled had, signed, and corrects it when late events land', async () => {
  const { url, received } = await receiver(status(204))
  const { pipeline, intake } = await temporaryService(
    { api: false, work: true },
    { COOLER_WEBHOOK_PRIVATE: '1', COOLER_REFRESH_MINUTES: '0.01' },
  )
  const subscription = {
    ...{ id: 'all', kind: 'exceptions', when: 'settled', exceptions: { off: {} } },
    channel: { type: 'webhook', url, format: 'json', secret: SECRET },
  }
  const beforeYesterday = (utcDayOf(Date.now()) - 2) * millisecondsInDay
  const day = formatDay(utcDayOf(beforeYesterday))
  const put = { name: 'putSubscription', values: ['all', JSON.stringify(subscription), beforeYesterday] } as const
  await pipeline.notify.run('call', put)
  const power = (hours: number, on: boolean) => {
    return { deviceId: 'a', at: beforeYesterday + hours * millisecondsInHour, type: 'power', on }
  }
  await intake.accept({ events: [power(1, false), power(11, true)] })

  const told = (nth: number) => {
    const { headers, body } = received[nth]
    return new Webhook(SECRET).verify(body, headers) as { type: string; data: Record<string, unknown> }
  }
  await eventually(() => received.length).toBe(1)
  const digest = told(0)
  expect(digest).toMatchObject({ type: 'exceptions.digest' })
  const item = { deviceId: 'a', exception: 'off' }
  expect(digest.data).toMatchObject({ day, items: [{ ...item, change: 'began', value: 10, limit: 4 }] })

  await intake.accept({ events: [power(2, true), power(2.5, true)] })
  await eventually(() => received.length).toBe(2)
  const correction = told(1)
  expect(correction).toMatchObject({ type: 'exceptions.correction' })
  expect(correction.data).toMatchObject({
    day,
    items: [
      { ...item, change: 'ended', value: 1, causes: ['late-events'], refersTo: received[0].headers['webhook-id'] },
    ],
  })
})
