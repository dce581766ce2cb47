import { once } from 'node:events'
import { truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Channel } from '../../../src/notify/channel.ts'
import type { Outcome } from '../../../src/notify/sender.ts'
import { EmailSender } from '../../../src/notify/senders/email.ts'
import { loopbackPort } from '../../helpers/loopback-port.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'
import { makeCertificate } from '../certificate.ts'
import { digest, FILE, item, LINKS, REPORT, sendingOf } from '../example-messages.ts'
import { answer, mailServer } from '../mail-server.ts'

const FROM = 'coolers@example.org'
const PASSWORD = 's3cret: p@ss'
const LOGIN = `fleet:${encodeURIComponent(PASSWORD)}@`

const to = (...addresses: string[]): Channel => ({ type: 'email', to: addresses })
const OPS = to('ops@example.org')

function sender(smtpUrl: string, more: { ca?: string; limitMs?: number; links?: null } = {}): EmailSender {
  const made = new EmailSender({ smtpUrl, from: FROM, links: LINKS, ...more })
  onTestFinished(() => made.close())
  return made
}

async function sent(one: EmailSender, sending = sendingOf(), channel = OPS): Promise<Outcome> {
  const outcome = await one.send(channel, sending)
  const text = JSON.stringify(outcome)
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(PASSWORD).toString('base64')])
    expect(text).not.toContain(secret)
  if (outcome.as !== 'sent') expect(outcome.error).toMatch(/^[^\n]{5,}$/)
  return outcome
}

describe('a mail', () => {
  test('has text, HTML, and headers that tell what it is', async () => {
    const { port, mails } = await mailServer()
    const body = digest([item({ change: 'ended', refersTo: 'msg_0', address: '<b>Straße</b>\r\nBcc: x@y.org' })], true)
    expect(await sent(sender(`smtp://localhost:${port}`), sendingOf(body))).toEqual({ as: 'sent' })
    const [{ mail, to: receivers }] = mails
    expect(receivers).toEqual(['ops@example.org'])
    expect(mail).toMatchObject({
      subject: 'Correction of 20 November 2026: CLR-1, no longer off',
      messageId: '<msg_abcdefghijklmnopqrstuvwxyz@example.org>',
      inReplyTo: '<msg_0@example.org>',
      attachments: [],
    })
    expect([mail.from?.text, (mail.to as { text: string }).text]).toEqual([FROM, 'ops@example.org'])
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail.headers.has('bcc')).toBe(false)
    const [line] = mail.headerLines.filter(({ key }) => key === 'list-unsubscribe')
    expect(line.line.replace(/\s+/g, ' ')).toBe(
      'List-Unsubscribe: <https://coolers.example.org/#/subscriptions>, <mailto:coolers@example.org?subject=unsubscribe%20route-12>',
    )
    for (const text of [mail.text, mail.html as string]) {
      expect(text).toContain('no longer off: 6.5 h without power (limit 4 h)')
      expect(text).toContain('https://coolers.example.org/#/device/CLR-1/day/20261120')
    }
    expect(mail.html).toContain('&lt;b&gt;Straße&lt;/b&gt;')
    expect(mail.html).not.toMatch(/<img|<script|src=/)
  })

  test('is written in Chinese, and without links where there are none', async () => {
    const { port, mails } = await mailServer()
    const one = sender(`smtp://127.0.0.1:${port}`, { links: null })
    expect(await sent(one, sendingOf(undefined, { language: 'zh' }))).toEqual({ as: 'sent' })
    const [{ mail }] = mails
    expect(mail.subject).toBe('2026年11月20日 冷柜 CLR-1：断电')
    expect(mail.html).toContain('<html lang="zh-CN">')
    expect(`${mail.text}${mail.html}`).not.toContain('http')
    expect(mail.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line).not.toContain('http')
  })
})

describe('a file', () => {
  const sending = (path: string, bytes: number) => sendingOf(FILE, { subscription: REPORT, file: { path, bytes } })

  test('is attached', async () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, 'a report\n')
    const { port, mails } = await mailServer()
    expect(await sent(sender(`smtp://localhost:${port}`), sending(path, 9))).toEqual({ as: 'sent' })
    const [attached] = mails[0].mail.attachments
    expect(attached).toMatchObject({
      filename: FILE.name,
      contentType: FILE.mediaType,
      content: Buffer.from('a report\n'),
    })
    expect(mails[0].mail.text).toContain('The file is attached.')
  })

  test('that is too large is linked to, or refused where there is no link', async () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    const bytes = 10 * 2 ** 20 + 1
    truncateSync(path, bytes)
    const { port, mails } = await mailServer()
    expect(await sent(sender(`smtp://localhost:${port}`), sending(path, bytes))).toEqual({ as: 'sent' })
    expect(mails[0].mail.attachments).toEqual([])
    expect(mails[0].mail.text).toContain('The file has 10 MB, which is too much for e-mail.')
    expect(mails[0].mail.text).toContain('https://coolers.example.org/v1/reports/summary?')
    const error = 'the file has 10 MB: at most 10 MB are attached, and there is no link to it'
    expect(await sent(sender(`smtp://localhost:${port}`, { links: null }), sending(path, bytes))).toEqual({
      as: 'refused',
      error,
    })
  })

  test('that is gone is a failure', async () => {
    const { port, mails } = await mailServer()
    const gone = join(temporaryFolder(), 'gone')
    expect(await sent(sender(`smtp://localhost:${port}`), sending(gone, 1))).toMatchObject({ as: 'failed' })
    expect(mails).toEqual([])
  })
})

describe('a server', () => {
  test('is asked for TLS: none is sent without, and none to a certificate that is not trusted', async () => {
    const { cert, key } = makeCertificate()
    const plain = await mailServer()
    // Not known as loopback, though it leads there.
    expect(await sent(sender(`smtp://0.0.0.0:${plain.port}`))).toMatchObject({ as: 'failed' })
    const starting = await mailServer({ cert, key, disabledCommands: ['AUTH'] })
    expect(await sent(sender(`smtp://0.0.0.0:${starting.port}`))).toMatchObject({ as: 'failed' })
    const fromStart = await mailServer({ cert, key, secure: true })
    expect(await sent(sender(`smtps://localhost:${fromStart.port}`))).toMatchObject({ as: 'failed' })
    expect([plain, starting, fromStart].flatMap(({ mails }) => mails)).toEqual([])
    expect(await sent(sender(`smtp://0.0.0.0:${starting.port}`, { ca: cert }))).toEqual({ as: 'sent' })
    expect(await sent(sender(`smtps://localhost:${fromStart.port}`, { ca: cert }))).toEqual({ as: 'sent' })
    expect([starting, fromStart].map(({ mails }) => mails[0].secure)).toEqual([true, true])
  })

  test('is told the login, and a wrong one is a failure', async () => {
    const { port, mails } = await mailServer({
      disabledCommands: ['STARTTLS'],
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => {
        if (password === PASSWORD) done(null, { user: username })
        else done(answer(535, `who is ${password}`))
      },
    })
    expect(await sent(sender(`smtp://${LOGIN}localhost:${port}`))).toEqual({ as: 'sent' })
    expect(mails[0].user).toBe('fleet')
    const error = 'the mail server refuses the login (535)'
    expect(await sent(sender(`smtp://fleet:wrong@localhost:${port}`))).toEqual({ as: 'failed', error })
    expect(await sent(sender(`smtp://localhost:${port}`))).toMatchObject({ as: 'failed' }) // 530
  })

  test('that refuses for good is not asked again; one that does so for now, or is gone, is', async () => {
    const refusing = (error: Error) =>
      mailServer({ onRcptTo: (_, __, done) => done(error), disabledCommands: ['STARTTLS', 'AUTH'] })
    const outcome = async (port: number, more = {}) => sent(sender(`smtp://${LOGIN}localhost:${port}`, more))
    const forGood = await refusing(answer(550, `no such user, says\r\n550 ${PASSWORD}`))
    expect(await outcome(forGood.port)).toMatchObject({ as: 'refused', error: expect.stringContaining('550') })
    expect(await outcome((await refusing(answer(451, 'greylisted'))).port)).toMatchObject({ as: 'failed' })
    const full = await mailServer({
      onData: (stream, _, done) => void stream.resume().on('end', () => done(answer(552, 'too large'))),
    })
    expect(await outcome(full.port)).toMatchObject({ as: 'refused', error: expect.stringContaining('552') })
    expect(await outcome(await loopbackPort())).toMatchObject({
      as: 'failed',
      error: expect.stringContaining('ECONNREFUSED'),
    })
    const silent = createServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void silent.close())
    const { port } = silent.address() as AddressInfo
    expect(await outcome(port, { limitMs: 200 })).toEqual({ as: 'failed', error: 'no answer within 0.2 s' })
  })

  test('that takes a mail for some of its receivers gets it for the others alone the next time', async () => {
    let isBusy = true
    const { port, mails } = await mailServer({
      onRcptTo: ({ address }, _, done) => {
        if (address === 'gone@example.org') done(answer(550, 'no such user'))
        else done(isBusy && address === 'busy@example.org' ? answer(451, 'greylisted') : null)
      },
    })
    const one = sender(`smtp://localhost:${port}`)
    const all = to('ops@example.org', 'busy@example.org', 'gone@example.org')
    const outcome = await sent(one, sendingOf(), all)
    expect(outcome).toMatchObject({ as: 'failed', error: expect.stringMatching(/^taken for 1 of 3 receivers; .*451/) })
    isBusy = false
    expect(await sent(one, sendingOf(), all)).toMatchObject({
      as: 'refused',
      error: expect.stringMatching(/^taken for 2 of 3 receivers; .*550/),
    })
    expect(mails.map((mail) => mail.to)).toEqual([['ops@example.org'], ['busy@example.org']])
    expect(new Set(mails.map(({ mail }) => mail.messageId)).size).toBe(1)
    expect(mails.map(({ mail }) => (mail.to as { value: unknown[] }).value.length)).toEqual([3, 3])
  })
})

test('closing ends what is being sent', async () => {
  const silent = createServer()
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void silent.close())
  const one = sender(`smtp://localhost:${(silent.address() as AddressInfo).port}`)
  const sending = one.send(OPS, sendingOf())
  const [socket] = await once(silent, 'connection')
  const ended = once(socket, 'close')
  await one.close()
  await ended
  expect(await sending).toEqual({ as: 'failed', error: 'stopped before it was sent' })
})
