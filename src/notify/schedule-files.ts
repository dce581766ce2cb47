import { formatDay, millisecondsInHour } from '../base/time.ts'
import type { MessageHead, NewMessage, NoticeReads, NoticeStore } from '../store/notices.ts'
import type { Damages } from './damages.ts'
import { fileNameOf, mediaTypeOf } from './file-names.ts'
import type { InUse } from './in-use.ts'
import type { FileMessage } from './message.ts'
import { newMessageId } from './message-id.ts'
import { type DuePeriod, lastPeriod, type Period } from './periods.ts'
import type { BackupSubscription, ReportSubscription } from './subscription.ts'

/** Most periods that are made up for after an outage. Earlier periods are skipped. */
const MOST_MISSED = 31
/** Enough messages of a subscription to cover these periods with all their versions. */
const MOST_MESSAGES = 1000
/** Least time between two versions of a report, so that a stream of late events does not make many. */
const VERSION_MS = 20 * millisecondsInHour

type FileSubscription = ReportSubscription | BackupSubscription

/** Dependencies of scheduleFiles. */
export interface Scheduling {
  reads: Pick<NoticeReads, 'messages' | 'staleMessages'>
  writes: Pick<NoticeStore, 'compose' | 'confirm'>
  isSettled(subscription: ReportSubscription, period: Period): Promise<boolean>
  /** Returns the hash of the content that the file of a message would have now. */
  hashOf(message: MessageHead, subscription: ReportSubscription): Promise<string>
  /** Epoch ms. */
  now: number
  /** Receives what cannot be read; it delays only its own subscription. */
  damages: Damages
}

/**
 * Makes a message for each file that is due: of periods that have ended since the subscription was made, and anew of
 * those whose figures have changed since. Returns how many. Of two processes that do so at once, one makes it.
 */
export async function scheduleFiles(all: readonly InUse<FileSubscription>[], scheduling: Scheduling): Promise<number> {
  if (all.length === 0) return 0
  const { damages, reads } = scheduling
  let composed = 0
  for (const one of all) composed += (await damages.pass(scheduleDue(one, scheduling))) ?? 0
  for (const stale of await reads.staleMessages()) {
    const subscription = all.find(({ id }) => id === stale.subscription)?.subscription
    if (subscription?.kind !== 'report') continue
    composed += (await damages.pass(renew(subscription, stale, scheduling))) ?? 0
  }
  return composed
}

async function scheduleDue(one: InUse<FileSubscription>, scheduling: Scheduling): Promise<number> {
  const { subscription } = one
  const { reads, writes, isSettled, now } = scheduling
  let composed = 0
  for (const period of await missing(one, reads, now)) {
    if (subscription.kind === 'report' && !(await mayBeMade(subscription, period, isSettled))) continue
    // The files of earlier periods are sent first.
    if (await writes.compose([fileMessage(subscription, period, 1, now + composed)], [])) composed++
  }
  return composed
}

/** Returns the periods of which no file has been made, the earliest first; of copies of the store only the last. */
async function missing(
  { id, createdAt, subscription }: InUse<FileSubscription>,
  reads: Scheduling['reads'],
  now: number,
): Promise<DuePeriod[]> {
  const messages = await reads.messages({ subscription: id, type: 'file', limit: MOST_MESSAGES })
  const made = new Set(messages.map(({ day }) => day))
  const periods: DuePeriod[] = []
  const most = subscription.kind === 'backup' ? 1 : MOST_MISSED
  for (let at = now, nth = 0; nth < most; nth++) {
    const period = lastPeriod(subscription, at)
    if (period.dueAt <= createdAt) break
    if (!made.has(period.fromDay)) periods.unshift(period)
    at = period.dueAt - 1
  }
  return periods
}

/** Tells whether the file of a period has only the days that it is to have. */
const mayBeMade = async (
  subscription: ReportSubscription,
  period: Period,
  isSettled: Scheduling['isSettled'],
): Promise<boolean> => subscription.provisional === true || (await isSettled(subscription, period))

async function renew(
  subscription: ReportSubscription,
  stale: MessageHead,
  { writes, isSettled, hashOf, now }: Scheduling,
): Promise<number> {
  // The file of a waiting message is made when it is sent, so it will have the latest figures.
  if (stale.state === 'waiting' || (now >= stale.createdAt && now < stale.createdAt + VERSION_MS)) return 0
  const period = { fromDay: stale.day, toDay: stale.toDay }
  // A device that moved to another zone may have opened a day again.
  if (!(await mayBeMade(subscription, period, isSettled))) return 0
  if ((await hashOf(stale, subscription)) === stale.hash) {
    await writes.confirm(stale.id)
    return 0
  }
  const createdAt = Math.max(now, stale.createdAt + 1)
  const isNew = await writes.compose([fileMessage(subscription, period, stale.version + 1, createdAt)], [])
  if (isNew) await writes.confirm(stale.id)
  return isNew ? 1 : 0
}

function fileMessage(
  subscription: FileSubscription,
  { fromDay, toDay }: Period,
  version: number,
  now: number,
): NewMessage {
  const body: FileMessage = {
    type: 'file',
    kind: subscription.kind,
    fromDay: formatDay(fromDay),
    toDay: formatDay(toDay),
    version,
    name: fileNameOf(subscription, { fromDay, toDay }, version),
    mediaType: mediaTypeOf(subscription),
  }
  return {
    ...{ id: newMessageId(now), subscription: subscription.id, type: 'file', day: fromDay, toDay, version },
    ...{ createdAt: now, body: JSON.stringify(body), hash: null },
  }
}
