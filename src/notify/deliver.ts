import { millisecondsInHour, millisecondsInMinute } from '../base/time.ts'
import type { MessageState, NoticeStore, StoredMessage, StoredSubscription } from '../store/notices.ts'
import type { MessageBody } from './message.ts'
import type { DeliveredFile, Outcome, Senders } from './sender.ts'
import { readSubscription } from './stored.ts'
import type { Subscription } from './subscription.ts'

/** Pauses before the attempts after the first, in ms: over a day in all. After the last one a message has failed. */
const PAUSES_MS = [
  ...[5000, 30_000, 5 * millisecondsInMinute, 30 * millisecondsInMinute],
  ...[2, 4, 8, 12].map((hours) => hours * millisecondsInHour),
]

/** How long a claim keeps other processes from sending the same message. Every sender times out sooner. */
const CLAIM_MS = 5 * millisecondsInMinute

/** Messages that are sent at the same time. */
const AT_ONCE = 16

/** A file made for one attempt to deliver a message. */
export interface MadeFile extends DeliveredFile {
  /** Hash of the content, or null for a file that is never compared. */
  hash: string | null
  remove(): Promise<void>
}

/** Dependencies of deliver. */
export interface Delivery {
  notices: Pick<NoticeStore, 'subscriptions' | 'claim' | 'attempted' | 'endSubscription'>
  senders: Senders
  /** Makes the file of a message. */
  fileOf: (message: StoredMessage, subscription: Subscription) => Promise<MadeFile>
  now: () => number
  /** Called after each attempt. */
  onAttempt: (message: StoredMessage, outcome: Outcome) => void
}

/** Sends the messages that are due. Messages of one subscription are sent one after the other. */
export async function deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (signal.aborted) return
    const now = delivery.now()
    const claimed = await delivery.notices.claim(now, now + CLAIM_MS, AT_ONCE)
    if (claimed.length === 0) return
    await Promise.all(claimed.map((message) => deliverOne(delivery, message, signal)))
  }
}

async function deliverOne(delivery: Delivery, message: StoredMessage, signal: AbortSignal): Promise<void> {
  const { notices, now, onAttempt } = delivery
  const stored = (await notices.subscriptions()).find(({ id }) => id === message.subscription)
  if (stored === undefined || stored.endedWhy !== null) {
    const error = stored === undefined ? 'there is no such subscription any more' : 'the subscription has ended'
    return notices.attempted({ id: message.id, state: 'failed', nextAt: now(), now: now(), error })
  }
  const { outcome, hash } = await attempt(delivery, message, stored, signal)
  // The service is stopping: release the message, so that another process sends it.
  if (outcome.as === 'failed' && signal.aborted) {
    return notices.attempted({ id: message.id, state: 'waiting', nextAt: now(), now: now(), error: outcome.error })
  }
  onAttempt(message, outcome)
  if (outcome.as === 'gone') await notices.endSubscription(message.subscription, outcome.error)
  const pause = pauseAfter(message.attempts, outcome)
  const state: MessageState = outcome.as === 'sent' ? 'sent' : pause === null ? 'failed' : 'waiting'
  const error = outcome.as === 'sent' ? null : outcome.error
  await notices.attempted({
    ...{ id: message.id, state, nextAt: now() + (pause ?? 0), now: now(), error },
    ...(hash === undefined ? {} : { hash }),
  })
}

/** Returns the pause before the next attempt in milliseconds, or null if the message is given up. */
function pauseAfter(attempts: number, outcome: Outcome): number | null {
  if (outcome.as !== 'failed') return null
  const pause = PAUSES_MS[attempts - 1]
  if (pause === undefined) return null
  // Jitter, so that the messages of a day are not all retried at the same moment.
  const jittered = Math.round(pause * (0.9 + 0.2 * Math.random()))
  return Math.min(Math.max(jittered, outcome.retryAfterMs ?? 0), 24 * millisecondsInHour)
}

async function attempt(
  { senders, fileOf }: Delivery,
  message: StoredMessage,
  stored: StoredSubscription,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; hash?: string }> {
  let file: MadeFile | null = null
  try {
    const subscription = readSubscription(stored)
    const { channel } = subscription
    const sender = senders[channel.type]
    if (sender === null) return { outcome: { as: 'failed', error: `no ${channel.type} is set up: see cooler doctor` } }
    const body = JSON.parse(message.body) as MessageBody
    if (body.type === 'file') file = await fileOf(message, subscription)
    const language = ('language' in subscription ? subscription.language : undefined) ?? 'en'
    const { id, createdAt } = message
    const sent = { id, subscription: message.subscription, createdAt, body }
    const outcome = await sender.send(channel, { message: sent, subscription, language, file, signal })
    return { outcome, ...(file === null || file.hash === null ? {} : { hash: file.hash }) }
  } catch (error) {
    return { outcome: { as: 'failed', error: (error as Error).message.split('\n')[0].slice(0, 300) } }
  } finally {
    await file?.remove()
  }
}
