import { EXCEPTION_NAMES } from '../base/exceptions.ts'
import { formatDay, millisecondsInHour, millisecondsInMinute } from '../base/time.ts'
import type { CalendarSettings } from '../rollup/local-day.ts'
import type { KeptNotice, NewMessage } from '../store/notices.ts'
import type { Store } from '../store/open-store.ts'
import { closingsOf } from './closings.ts'
import type { Damages } from './damages.ts'
import type { InUse } from './in-use.ts'
import type { ExceptionItem, ExceptionMessage } from './message.ts'
import { newMessageId } from './message-id.ts'
import { bitOf, type NoticeBody, namesOf } from './notice.ts'
import { isQuiet } from './quiet.ts'
import { readNotice } from './stored.ts'
import type { ExceptionSubscription } from './subscription.ts'

/** Most items of one message; further items go into another message. */
const MOST_ITEMS = 20_000
/** Most notices that one call turns into messages. */
const MOST_NOTICES = 200_000
/** Longest wait, after a day has closed in every zone, for shards that could not be rolled up. */
const PATIENCE_MS = 6 * millisecondsInHour
/** Most earlier messages about one day that are read. */
const MOST_MESSAGES = 1000

/** Parameters of composeDigests. */
export interface Composing {
  /** Zones that devices are placed in. */
  zones: readonly string[]
  settings: CalendarSettings
  /** Epoch ms. */
  now: number
  /** Receives the notices that cannot be read, which are left as they are. */
  damages: Damages
}

/** A notice with its body as read. */
interface Told extends KeptNotice {
  read: NoticeBody
}

/**
 * Turns the notices of a subscription into messages, one for each day, unless they must wait: for quiet hours, for the
 * least time between messages, or for the rest of the fleet. Returns the number of messages. If two processes compose at
 * the same time, only one of them succeeds.
 */
export async function composeDigests(
  { notices, registry }: Pick<Store, 'notices' | 'registry'>,
  one: InUse<ExceptionSubscription>,
  composing: Composing,
): Promise<number> {
  const { now, damages } = composing
  const { atMostEveryMinutes = 0 } = one.subscription
  let composed = 0
  for (const day of await notices.noticedDays(one.id)) {
    const about = { type: 'exceptions', subscription: one.id }
    if (atMostEveryMinutes > 0) {
      const [last] = await notices.messages({ ...about, limit: 1 })
      const since = last === undefined ? Infinity : now - last.createdAt
      if (since >= 0 && since < atMostEveryMinutes * millisecondsInMinute) break
    }
    const earlier = await notices.messages({ ...about, day, limit: MOST_MESSAGES })
    const first = earlier.at(-1)?.id ?? null
    if (first === null && !(await isComplete(notices, one.subscription, day, composing))) continue
    const waiting = await notices.noticesOf(one.id, day, MOST_NOTICES)
    const told = waiting.flatMap((notice): Told[] => {
      const read = damages.read(() => readNotice(notice))
      return read === null || isQuiet(one.subscription, read.timezone, now) ? [] : [{ ...notice, read }]
    })
    if (told.length === 0) continue
    const ids = await registry.ids(told.map(({ device }) => device))
    const items = itemsOf(told, ids, first)
    // Messages are sent by creation time; a clock that was set back must not put a correction first.
    const createdAt = Math.max(now, (earlier[0]?.createdAt ?? 0) + 1)
    const messages = messagesOf(one.id, day, items, { first, version: (earlier[0]?.version ?? 0) + 1, createdAt })
    if (await notices.compose(messages, told)) composed += messages.length
  }
  return composed
}

/** Tells whether the first digest of a day is complete: the day has closed and every shard has been compared since. */
async function isComplete(
  notices: Store['notices'],
  { when, devices }: ExceptionSubscription,
  day: number,
  { zones, settings, now }: Composing,
): Promise<boolean> {
  if (when === 'provisional') return true
  const { last: closedAt } = closingsOf(devices?.timezone === undefined ? zones : [devices.timezone], day, settings)
  return (await notices.noticedUpTo()) >= closedAt || now >= closedAt + PATIENCE_MS
}

/** Returns the items of notices, ordered by exception, then by id. Erased devices are left out. */
function itemsOf(notices: readonly Told[], ids: ReadonlyMap<number, string>, refersTo: string | null): ExceptionItem[] {
  const items = notices.flatMap(({ device, before, read }) => {
    const deviceId = ids.get(device)
    if (deviceId === undefined) return []
    const { after, status, timezone, address, causes, details } = read
    return namesOf(before ^ after).map((exception): ExceptionItem => {
      const change = after & bitOf(exception) ? 'began' : 'ended'
      const { value = null, limit = null, unit = null, since = 0 } = details[exception] ?? {}
      const own = { deviceId, exception, change, status, value, limit, unit, since, timezone, address } as const
      return { ...own, causes: refersTo === null ? [] : [...causes], refersTo }
    })
  })
  const order = (one: ExceptionItem): number => EXCEPTION_NAMES.indexOf(one.exception)
  return items.sort(
    (one, other) =>
      order(one) - order(other) || (one.deviceId < other.deviceId ? -1 : one.deviceId > other.deviceId ? 1 : 0),
  )
}

function messagesOf(
  subscription: string,
  day: number,
  items: readonly ExceptionItem[],
  { first, version, createdAt }: { first: string | null; version: number; createdAt: number },
): NewMessage[] {
  const messages: NewMessage[] = []
  for (let from = 0; from < items.length; from += MOST_ITEMS) {
    const body: ExceptionMessage = {
      type: 'exceptions',
      day: formatDay(day),
      isCorrection: first !== null,
      items: items.slice(from, from + MOST_ITEMS),
    }
    messages.push({
      ...{
        id: newMessageId(createdAt),
        subscription,
        type: body.type,
        day,
        toDay: day,
        version: version + messages.length,
      },
      ...{ createdAt: createdAt + messages.length, body: JSON.stringify(body), hash: null },
    })
  }
  return messages
}
