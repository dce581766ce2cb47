import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface MailServer {
  port: number
  /** Mails that were taken, with the receivers that they were taken for, and whether they came by TLS. */
  mails: { to: string[]; mail: ParsedMail; secure: boolean; user: string | undefined }[]
}

/** An error with which an SMTP server answers. */
export const answer = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

/** A real SMTP server on loopback, without TLS and login unless told otherwise. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    onData: async (stream, session, done) => {
      const source = await buffer(stream).catch(() => null)
      if (source === null) return // The client broke off.
      const mail = await simpleParser(source)
      const to = session.envelope.rcptTo.map(({ address }) => address)
      const user = session.user === undefined ? undefined : String(session.user)
      mails.push({ to, mail, secure: session.secure === true, user })
      done()
    },
    ...options,
  })
  server.on('error', () => {}) // Connections that break off.
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: (listening.address() as AddressInfo).port, mails }
}
