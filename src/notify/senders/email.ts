import type { SendMailOptions, Transporter } from 'nodemailer'
import { isOwnHost } from '../../base/own-host.ts'
import type { Channel, ChannelOf } from '../channel.ts'
import type { Message } from '../message.ts'
import { mailOf } from '../render/mail.ts'
import { wordsOf } from '../render/words.ts'
import type { DeliveredFile, Links, Outcome, Sender, Sending } from '../sender.ts'
import { Attempts, errorLine } from './attempts.ts'

export interface EmailOptions {
  /** smtp://user:password@host:port, or smtps://. */
  smtpUrl: string
  /** Address of the sender. */
  from: string
  links: Links | null
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. */
  ca?: string | undefined
  /** For the whole of a mail; 60 s unless given. */
  limitMs?: number | undefined
}

const LIMIT_MS = 60_000
/** Larger files are linked to: many servers take no more. */
const MOST_ATTACHED = 10 * 2 ** 20
/** Most messages whose accepted receivers are remembered. */
const MOST_REMEMBERED = 1000
/** Most messages that a correction names in its headers. */
const MOST_REFERENCES = 10

/**
 * Sends one mail to all receivers of a channel. The server may take it for some of them and not for others: the next
 * attempt then goes to the others alone, as long as this process lives. After that a repeat has the same Message-ID.
 */
export class EmailSender implements Sender {
  readonly #options: EmailOptions
  readonly #login: { user: string; pass: string }
  readonly #attempts: Attempts
  readonly #taken = new Map<string, Set<string>>()
  #transport: Promise<Transporter> | undefined

  constructor(options: EmailOptions) {
    const { username, password } = new URL(options.smtpUrl)
    this.#options = options
    this.#attempts = new Attempts(options.limitMs ?? LIMIT_MS)
    this.#login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  }

  send(channel: Channel, sending: Sending): Promise<Outcome> {
    return this.#attempts.run(sending.signal, (signal) => this.#mail(channel as ChannelOf<'email'>, sending, signal))
  }

  close(): Promise<void> {
    return this.#attempts.close() // Each mail has a connection of its own.
  }

  async #mail({ to }: ChannelOf<'email'>, sending: Sending, signal: AbortSignal): Promise<Outcome> {
    const taken = this.#taken.get(sending.message.id) ?? new Set()
    const receivers = to.filter((address) => !taken.has(address))
    if (receivers.length === 0) return { as: 'sent' }
    const content = this.#contentOf(sending)
    if ('error' in content) return { as: 'refused', error: content.error }
    try {
      this.#transport ??= openTransport(this.#options, this.#login)
      const transport = await this.#transport
      const {
        accepted = [],
        rejected = [],
        rejectedErrors = [],
      } = await transport.sendMail({
        ...content,
        from: this.#options.from,
        to,
        envelope: { from: this.#options.from, to: receivers },
        signal,
      })
      if (rejected.length === 0) return { as: 'sent' }
      this.#remember(sending.message.id, [...taken, ...accepted.map(String)])
      return this.#refusal(rejectedErrors, `taken for ${to.length - rejected.length} of ${to.length} receivers; `)
    } catch (error) {
      if (signal.aborted) throw error
      const { rejectedErrors = [] } = error as SmtpError
      return this.#refusal(rejectedErrors.length === 0 ? [error as SmtpError] : rejectedErrors, '')
    }
  }

  #remember(id: string, taken: readonly string[]): void {
    this.#taken.delete(id)
    this.#taken.set(id, new Set(taken))
    for (const oldest of this.#taken.keys()) {
      if (this.#taken.size <= MOST_REMEMBERED) break
      this.#taken.delete(oldest)
    }
  }

  #refusal(errors: readonly SmtpError[], before: string): Outcome {
    const [first] = errors
    const { user, pass } = this.#login
    const error =
      first.code === 'EAUTH'
        ? `the mail server refuses the login (${first.responseCode ?? 'no code'})`
        : errorLine(first, [pass, encodedLogin(user, pass), Buffer.from(pass).toString('base64')])
    return { as: errors.every(isFinal) ? 'refused' : 'failed', error: `${before}${error}` }
  }

  #contentOf(sending: Sending): SendMailOptions | { error: string } {
    const { message, subscription, language, file } = sending
    const { from, links } = this.#options
    const isTooLarge = file !== null && file.bytes > MOST_ATTACHED
    const link = message.body.type === 'file' ? links?.file(message.body, subscription) : null
    if (isTooLarge && !link)
      return { error: `the file has ${megabytes(file)} MB: at most 10 MB are attached, and there is no link to it` }
    const words = wordsOf(language)
    const notes = isTooLarge ? [words.say('not-attached', { size: megabytes(file) })] : [words.say('attached')]
    const { subject, text, html } = mailOf({ message, subscription, language, links }, file ? notes : [], from)
    return {
      ...{ subject, text, html },
      ...threadOf(message, from),
      headers: { 'Auto-Submitted': 'auto-generated' },
      list: { unsubscribe: [unsubscribeOf(from, subscription.id, links)] },
      ...(file === null || isTooLarge ? {} : { attachments: [attachmentOf(message, file)] }),
      disableUrlAccess: true,
    }
  }
}

type SmtpError = Error & { code?: string; responseCode?: number; rejectedErrors?: SmtpError[] }

/** Bad sequence, and authentication required: operators can correct these, so they are retried. */
const MENDABLE: readonly number[] = [503, 530]

/** Tells whether a server refuses the mail or a receiver permanently, as opposed to the login or the connection. */
const isFinal = ({ code, responseCode = 0 }: SmtpError): boolean =>
  (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500 && !MENDABLE.includes(responseCode)

const encodedLogin = (user: string, pass: string): string => Buffer.from(`\0${user}\0${pass}`).toString('base64')

const megabytes = ({ bytes }: DeliveredFile): number => Math.round((bytes / 2 ** 20) * 10) / 10

/** Returns the id of a mail, and those of the messages that it corrects, so that they are shown together. */
function threadOf(
  { id, body }: Message,
  from: string,
): Pick<SendMailOptions, 'messageId' | 'inReplyTo' | 'references'> {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const items = body.type === 'exceptions' ? body.items : []
  const earlier = [...new Set(items.flatMap(({ refersTo }) => (refersTo === null ? [] : [refersTo])))]
  const references = earlier.slice(0, MOST_REFERENCES).map((one) => `<${one}@${domain}>`)
  return {
    messageId: `<${id}@${domain}>`,
    ...(references.length === 0 ? {} : { inReplyTo: references[0], references }),
  }
}

function unsubscribeOf(from: string, subscription: string, links: Links | null): string[] {
  const mail = `mailto:${from}?subject=${encodeURIComponent(`unsubscribe ${subscription}`)}`
  return links === null ? [mail] : [links.subscriptions(), mail]
}

function attachmentOf({ body }: Message, { path }: DeliveredFile) {
  const { name, mediaType } = body as Extract<Message['body'], { type: 'file' }>
  return { filename: name, contentType: mediaType, path }
}

/** Opens no connection yet. TLS is required, except on loopback, where certificates are seldom made for it. */
async function openTransport(
  { smtpUrl, ca }: EmailOptions,
  { user, pass }: { user: string; pass: string },
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    secure,
    ...(port === '' ? {} : { port: Number(port) }),
    ...(isOwnHost(hostname) ? { ignoreTLS: true } : { requireTLS: !secure }),
    ...(user === '' ? {} : { auth: { user, pass } }),
    tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: 20_000,
    greetingTimeout: 20_000,
    socketTimeout: 30_000,
  }) as Transporter
}
