import { once } from 'node:events'
import { createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Channel } from '../../../src/notify/channel.ts'
import type { Outcome } from '../../../src/notify/sender.ts'
import { WebhookSender } from '../../../src/notify/senders/webhook.ts'
import { loopbackPort } from '../../helpers/loopback-port.ts'
import { makeCertificate } from '../certificate.ts'
import { digest, LINKS, many, sendingOf } from '../example-messages.ts'
import { receiver, status } from '../receiver.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const PATH = '/hooks/s3cret-path?token=s3cret-token'

const channel = (url: string, more: { format?: 'json' | 'slack' | 'teams'; secret?: string } = {}): Channel => ({
  type: 'webhook',
  format: 'json',
  url,
  ...more,
})

function sender(options: { allowPrivate?: boolean; ca?: string; limitMs?: number } = {}): WebhookSender {
  const made = new WebhookSender({ links: LINKS, allowPrivate: true, ...options })
  onTestFinished(() => made.close())
  return made
}

/** Errors are one line, without what is secret. */
function checked(outcome: Outcome): Outcome {
  const text = JSON.stringify(outcome)
  expect(text).not.toMatch(/s3cret|whsec_|MfKQ9r|CLR-1/)
  if (outcome.as !== 'sent') expect(outcome.error).toMatch(/^[^\n]{5,}$/)
  return outcome
}

const post = async (url: string, options = {}): Promise<Outcome> =>
  checked(await sender(options).send(channel(`${url}${PATH}`, { secret: SECRET }), sendingOf()))

describe('a webhook is sent', () => {
  test('signed by Standard Webhooks, with the same id each time', async () => {
    const { url, received } = await receiver(status(204))
    const one = sender()
    const to = channel(`${url}${PATH}`, { secret: SECRET })
    for (let attempt = 0; attempt < 2; attempt++) expect(await one.send(to, sendingOf())).toEqual({ as: 'sent' })
    for (const { path, headers, body } of received) {
      expect([path, headers['content-type']]).toEqual([PATH, 'application/json'])
      expect(headers['webhook-id']).toBe('msg_abcdefghijklmnopqrstuvwxyz')
      expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ type: 'exceptions.digest' })
      expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow()
    }
    expect(received).toHaveLength(2)
    expect(received[1].body).toBe(received[0].body)
  })

  test('without a signature where there is no secret, in the form that the channel asks for', async () => {
    const { url, received } = await receiver(status(202))
    for (const format of ['slack', 'teams'] as const)
      expect(await sender().send(channel(url, { format }), sendingOf())).toEqual({ as: 'sent' })
    expect(received.map(({ headers }) => headers['webhook-signature'])).toEqual([undefined, undefined])
    expect(received.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
      ['text', 'mrkdwn', 'blocks'],
      ['type', 'attachments'],
    ])
  })

  test('whole, with 5 000 exceptions', async () => {
    const { url, received } = await receiver(status(200))
    expect(await sender().send(channel(url), sendingOf(digest(many(5000))))).toEqual({ as: 'sent' })
    expect(JSON.parse(received[0].body).data.items).toHaveLength(5000)
  })

  test('where the answer is 2xx, even if it never ends or is very long', async () => {
    const endless = await receiver((response) => void response.writeHead(200).write('x'))
    const sending = sender({ limitMs: 300 })
    expect(await sending.send(channel(endless.url), sendingOf())).toEqual({ as: 'sent' })
    let written = 0
    const long = await receiver((response) => {
      response.writeHead(200)
      const chunk = 'x'.repeat(65_536)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
      }
      response.on('drain', more)
      more()
    })
    expect(await post(long.url)).toEqual({ as: 'sent' })
    expect(written).toBeLessThan(50_000_000)
  })

  test('by TLS to a certificate that is trusted, and only then', async () => {
    const { cert, key } = makeCertificate()
    const { url, port, received } = await receiver(status(200), { cert, key })
    expect(await post(url)).toMatchObject({ as: 'failed', error: expect.stringContaining('self-signed certificate') })
    expect(received).toEqual([])
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await post(`https://${host}:${port}`, { ca: cert })).toEqual({ as: 'sent' })
    const other = makeCertificate('DNS:example.org')
    const foreign = await receiver(status(200), other)
    expect(await post(foreign.url, { ca: other.cert })).toMatchObject({
      as: 'failed',
      error: expect.stringContaining('does not match'),
    })
  })
})

describe('a webhook has failed', () => {
  test.each([400, 401, 404, 408, 425, 429, 500, 502, 503])('where the answer is %i', async (code) => {
    const { url } = await receiver(status(code))
    expect(await post(url)).toEqual({ as: 'failed', error: `the receiver answered ${code}` })
  })

  test('where the answer is a redirect, which is not followed', async () => {
    const target = await receiver(status(200))
    const { url } = await receiver(status(307, { location: `${target.url}/s3cret` }))
    const error = 'the receiver answered 307, a redirect, which is not followed'
    expect(await post(url)).toEqual({ as: 'failed', error })
    expect(target.received).toEqual([])
  })

  test('and waits for as long as the receiver asks', async () => {
    const dates = { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:51:37 GMT' }
    for (const [headers, retryAfterMs] of [
      [{ 'retry-after': '120' }, 120_000],
      [{ 'retry-after': '99999999' }, 86_400_000],
      [dates, 120_000],
    ] as const) {
      const { url } = await receiver(status(429, headers))
      expect(await post(url)).toMatchObject({ as: 'failed', retryAfterMs })
    }
    const { url } = await receiver(status(503, { 'retry-after': 'soon' }))
    expect(await post(url)).not.toHaveProperty('retryAfterMs')
  })

  test('where nobody listens, the connection is reset, or no answer comes in time', async () => {
    const nobody = `http://127.0.0.1:${await loopbackPort()}`
    expect(await post(nobody)).toMatchObject({ as: 'failed', error: expect.stringContaining('ECONNREFUSED') })
    const { url } = await receiver((_, request) => request.socket.resetAndDestroy())
    expect(await post(url)).toMatchObject({ as: 'failed', error: expect.stringMatching(/ECONNRESET|hang up/) })
    const slow = await receiver(() => {})
    expect(await post(slow.url, { limitMs: 200 })).toEqual({ as: 'failed', error: 'no answer within 0.2 s' })
    const silent = createServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as { port: number }
    expect(await post(`https://127.0.0.1:${port}`, { limitMs: 200 })).toMatchObject({ as: 'failed' })
  })

  test('where its host is unknown', async () => {
    expect(await post('https://no-such-host.invalid')).toMatchObject({
      as: 'failed',
      error: expect.stringContaining('no-such-host.invalid'),
    })
  })
})

test('410 ends the subscription', async () => {
  const { url } = await receiver(status(410))
  expect(await post(url)).toMatchObject({ as: 'gone', error: expect.stringContaining('410') })
})

test('private addresses are refused, in a URL and behind a name, and nothing arrives there', async () => {
  const { port, received } = await receiver(status(200))
  for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
    const outcome = await post(`http://${host}:${port}`, { allowPrivate: false })
    expect(outcome, host).toMatchObject({ as: 'refused', error: expect.stringContaining('the address is private') })
  }
  expect(received).toEqual([])
  expect(await post(`http://localhost:${port}`)).toEqual({ as: 'sent' })
})

test('closing, or its own signal, ends what is being sent', async () => {
  const slow = await receiver(() => {})
  const one = sender()
  const controller = new AbortController()
  const sending = one.send(channel(slow.url), sendingOf(undefined, { signal: controller.signal }))
  const other = one.send(channel(slow.url), sendingOf())
  controller.abort()
  expect(await sending).toEqual({ as: 'failed', error: 'stopped before it was sent' })
  await one.close()
  expect(await other).toEqual({ as: 'failed', error: 'stopped before it was sent' })
  expect(await one.send(channel(slow.url), sendingOf())).toMatchObject({ as: 'failed' })
})
