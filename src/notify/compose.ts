import { EXCEPTION_NAMES } from '../base/exceptions.ts'
import { formatDay, millisecondsInHour, millisecondsInMinute } from '../base/time.ts'
import type { CalendarSettings } from '../rollup/local-day.ts'
import type { KeptNotice, NewMessage } from '../store/notices.ts'
import type { Store } from '../store/open-store.ts'
import { closingsOf } from './closings.ts'
import type { InUse } from './in-use.ts'
import type { ExceptionItem, ExceptionMessage } from './message.ts'
import { newMessageId } from './message-id.ts'
import { bitOf, type NoticeBody, namesOf } from './notice.ts'
import { isQuiet } from './quiet.ts'
import type { ExceptionSubscription } from './subscription.ts'

/** Most items of one message; what is beyond goes into a further one. */
const MOST_ITEMS = 20_000
/** Most notices that are made into messages at once. */
const MOST_NOTICES = 200_000
/** So long after a day has closed everywhere its digest no longer waits for shards that could not be rolled up. */
const PATIENCE_MS = 6 * millisecondsInHour
/** Messages about one day that are looked at. */
const MOST_MESSAGES = 1000

/** What composing needs to know. */
export interface Composing {
  /** Zones in which devices stand. */
  zones: readonly string[]
  settings: CalendarSettings
  /** Epoch ms. */
  now: number
}

/**
 * Makes the notices of a subscription into messages, one a day, as far as they are to be told now. Returns how many
 * messages there are. Another process that does the same at the same time makes none.
 */
export async function composeDigests(
  { notices, registry }: Pick<Store, 'notices' | 'registry'>,
  one: InUse<ExceptionSubscription>,
  composing: Composing,
): Promise<number> {
  const { now } = composing
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
    const told = waiting.filter(
      ({ body }) => !isQuiet(one.subscription, (JSON.parse(body) as NoticeBody).timezone, now),
    )
    if (told.length === 0) continue
    const ids = await registry.ids(told.map(({ device }) => device))
    const items = itemsOf(told, ids, first)
    // Never before the messages that it corrects, whatever the clock says.
    const createdAt = Math.max(now, (earlier[0]?.createdAt ?? 0) + 1)
    const messages = messagesOf(one.id, day, items, { first, version: (earlier[0]?.version ?? 0) + 1, createdAt })
    if (await notices.compose(messages, told)) composed += messages.length
  }
  return composed
}

/** Tells whether the first digest of a day can be made: the day has closed, and all of it has been looked at. */
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

/** Returns what notices tell, in the order of exceptions, then of ids. Devices that have been erased are left out. */
function itemsOf(
  notices: readonly KeptNotice[],
  ids: ReadonlyMap<number, string>,
  refersTo: string | null,
): ExceptionItem[] {
  const items = notices.flatMap(({ device, before, body }) => {
    const deviceId = ids.get(device)
    if (deviceId === undefined) return []
    const { after, status, timezone, address, causes, details } = JSON.parse(body) as NoticeBody
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
