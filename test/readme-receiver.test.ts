import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebhookSender } from '../src/notify/senders/webhook.ts'
import { eventually } from './helpers/eventually.ts'
import { loopbackPort } from './helpers/loopback-port.ts'
import { readText } from './helpers/source-files.ts'
import { temporaryFolder } from './helpers/temporary-store.ts'
import { sendingOf } from './notify/example-messages.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const CODE = /```js\n([\s\S]*?)```/.exec(readText('README.md'))?.[1] ?? ''

/** The receiver of the README as a program of its own; returns its URL and what it has printed. */
async function startReceiver(): Promise<{ url: string; printed: () => string[] }> {
  const file = join(temporaryFolder(), 'receiver.mjs')
  writeFileSync(file, CODE)
  const port = await loopbackPort()
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: `${port}` }
  const receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    receiver.kill()
    await once(receiver, 'exit')
  })
  let text = ''
  receiver.stdout.on('data', (chunk) => (text += chunk))
  const url = `http://127.0.0.1:${port}/hooks`
  const status = () => fetch(url, { method: 'POST' }).then(({ status: code }) => code, String)
  await eventually(status).toBe(401) // Nothing without a signature.
  return { url, printed: () => text.split('\n').filter((line) => line !== '') }
}

test('the receiver of the README takes what is signed, once, and refuses the rest', async () => {
  expect(
    CODE.trim()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('import')),
  ).toHaveLength(12)
  const { url, printed } = await startReceiver()
  const sender = new WebhookSender({ links: null, allowPrivate: true })
  onTestFinished(() => sender.close())
  const send = (secret: string, body?: Parameters<typeof sendingOf>[0]) =>
    sender.send({ type: 'webhook', url, format: 'json', secret }, sendingOf(body))

  const other = `whsec_${Buffer.alloc(24).toString('base64')}`
  expect(await send(other)).toMatchObject({ as: 'failed', error: expect.stringContaining('401') })
  expect(printed()).toEqual([])
  for (let nth = 0; nth < 2; nth++) expect(await send(SECRET)).toEqual({ as: 'sent' })
  await eventually(printed).toHaveLength(1)
  const [number, ...payload] = printed()[0].split(' ')
  expect(number).toBe('1')
  expect(JSON.parse(payload.join(' '))).toMatchObject({
    type: 'exceptions.digest',
    data: { id: sendingOf().message.id },
  })

  const old = Math.floor(Date.now() / 1000) - 3600
  const headers = { 'webhook-id': 'msg_2', 'webhook-timestamp': `${old}`, 'webhook-signature': 'v1,AAAA' }
  expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401)
})
