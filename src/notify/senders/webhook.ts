import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { parseHttpDate } from '../../base/time.ts'
import { VERSION } from '../../base/version.ts'
import type { Channel, ChannelOf } from '../channel.ts'
import type { Describing } from '../render/described.ts'
import { payloadOf } from '../render/payload.ts'
import { slackMessage } from '../render/slack.ts'
import { teamsMessage } from '../render/teams.ts'
import type { Links, Outcome, Sender, Sending } from '../sender.ts'
import { Attempts, errorLine } from './attempts.ts'
import { isPublicAddress, lookUpPublic, PrivateAddressError } from './public-address.ts'

export interface WebhookOptions {
  links: Links | null
  /** Whether addresses that are not public may be called. */
  allowPrivate: boolean
  /** Certificates of authorities that are trusted instead of the usual ones, PEM. */
  ca?: string | undefined
  /** For the whole exchange; 10 s unless given. */
  limitMs?: number | undefined
}

type Webhook = ChannelOf<'webhook'>

const LIMIT_MS = 10_000
/** Most bytes of an answer that are read: enough for the other side to end it in order. */
const MOST_READ = 16_384
const LONGEST_PAUSE_MS = 24 * 3_600_000

/**
 * Posts messages by Standard Webhooks: signed if the channel has a secret, with the same message id in each attempt.
 * Answers other than 2xx and 410 are retried, as the specification asks: many receivers answer 4xx while they are being
 * deployed, and 410 lets them refuse for good.
 */
export class WebhookSender implements Sender {
  readonly #options: WebhookOptions
  readonly #attempts: Attempts

  constructor(options: WebhookOptions) {
    this.#options = options
    this.#attempts = new Attempts(options.limitMs ?? LIMIT_MS)
  }

  send(channel: Channel, sending: Sending): Promise<Outcome> {
    return this.#attempts.run(sending.signal, (signal) => this.#post(channel as Webhook, sending, signal))
  }

  close(): Promise<void> {
    return this.#attempts.close()
  }

  async #post(channel: Webhook, sending: Sending, signal: AbortSignal): Promise<Outcome> {
    const { allowPrivate, ca } = this.#options
    const url = new URL(channel.url)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    try {
      // Addresses are connected to without a look-up.
      if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw new PrivateAddressError()
      const body = bodyOf(channel, { ...sending, links: this.#options.links }, sending)
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: headersOf(channel, sending.message.id, body),
        agent: false, // A connection of its own for each: nothing is left open.
        signal,
        ...(allowPrivate ? {} : { lookup: lookUpPublic }),
        ...(ca === undefined ? {} : { ca }),
      } satisfies RequestOptions & { ca?: string })
      const answer = await answerTo(request, body)
      await drain(answer)
      return outcomeOf(answer)
    } catch (error) {
      if (error instanceof PrivateAddressError) return { as: 'refused', error: `${url.host}: ${error.message}` }
      if (signal.aborted) throw error
      const secrets = [url.href, `${url.pathname}${url.search}`].filter((one) => one !== '/')
      return { as: 'failed', error: `${url.host}: ${errorLine(error, secrets)}` }
    }
  }
}

function bodyOf({ format }: Webhook, describing: Describing, { file }: Sending): Buffer {
  const made = { json: () => payloadOf(describing, file), slack: slackMessage, teams: teamsMessage }[format]
  return Buffer.from(JSON.stringify(made(describing)))
}

/** Returns the headers of a request. The timestamp is that of the attempt, so that receivers can refuse old ones. */
function headersOf({ secret }: Webhook, id: string, body: Buffer): Record<string, string | number> {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'content-type': 'application/json',
    'content-length': body.length,
    'user-agent': `cooler-reports/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secret === undefined ? {} : { 'webhook-signature': signature(secret, id, timestamp, body) }),
  }
}

function signature(secret: string, id: string, timestamp: number, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

async function answerTo(request: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  // A receiver may answer before it has read all, and reset the connection: then its answer counts, if it came.
  request.on('error', () => {})
  request.end(body)
  const [answer] = await answered
  return answer
}

/** Reads an answer to its end, up to MOST_READ bytes. Faults are ignored, because the status is already known. */
async function drain(answer: IncomingMessage): Promise<void> {
  let read = 0
  try {
    for await (const chunk of answer) {
      read += (chunk as Buffer).length
      if (read > MOST_READ) break
    }
  } catch {
    // The time is up, or the connection broke: the status has been read.
  }
  answer.destroy()
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Outcome {
  if (status >= 200 && status < 300) return { as: 'sent' }
  if (status === 410) return { as: 'gone', error: 'the receiver answered 410: it wants no more' }
  const isRedirect = status >= 300 && status < 400
  const error = `the receiver answered ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`
  const retryAfterMs = pauseOf(headers)
  return { as: 'failed', error, ...(retryAfterMs === null ? {} : { retryAfterMs }) }
}

/** Returns the pause that `Retry-After` asks for, at most a day; null if it asks for none. */
function pauseOf({ 'retry-after': text = '', date = '' }: IncomingMessage['headers']): number | null {
  const asked = text.trim()
  const until = /^\d+$/.test(asked) ? Number(asked) * 1000 : untilDate(asked, date)
  return until === null ? null : Math.min(Math.max(0, until), LONGEST_PAUSE_MS)
}

/** Returns the time from the date of an answer, by the same clock, to the one that it names. */
function untilDate(text: string, date: string): number | null {
  const until = parseHttpDate(text)
  return until === null ? null : until - (parseHttpDate(date) ?? Date.now())
}
