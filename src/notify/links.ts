import type { FileMessage } from './message.ts'
import type { Links } from './sender.ts'
import type { ReportSubscription, Subscription } from './subscription.ts'

/** Most ids that the link to a report names; links must not become too long. */
const MOST_IDS = 50

/** Builds links to the dashboard and the API, whose addresses begin with this URL, which has no slash at its end. */
export const linksTo = (publicUrl: string): Links => ({
  fleet: (day, exception) => `${publicUrl}/#/day/${day}?exception=${encoded(exception ?? 'any')}`,
  day: (deviceId, day) => `${publicUrl}/#/device/${encoded(deviceId)}/day/${day}`,
  subscriptions: () => `${publicUrl}/#/subscriptions`,
  file: (message, subscription) => reportLink(publicUrl, message, subscription),
})

/** Encodes a text for an address. Lone surrogates, which no address can hold, become the replacement character. */
const encoded = (text: string): string => encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(text)))

/** Links to the same report as it is now; null where no address names its devices. */
function reportLink(publicUrl: string, message: FileMessage, subscription: Subscription): string | null {
  if (message.kind !== 'report' || subscription.kind !== 'report') return null
  const ids = idsOf(subscription)
  if (ids === null) return null
  const { fromDay, toDay } = message
  const isDay = fromDay === toDay
  const query = new URLSearchParams(isDay ? { day: `${fromDay}` } : { startDay: `${fromDay}`, endDay: `${toDay}` })
  for (const id of ids) query.append('assertIds', id)
  query.append('format', subscription.format)
  return `${publicUrl}/v1/reports/${isDay ? 'daily' : 'summary'}?${query}`
}

/** Returns the ids of a selection (an empty list for all devices), or null if a link cannot express the selection. */
function idsOf({ devices = {} }: ReportSubscription): readonly string[] | null {
  const { ids = [], prefix, timezone, labels } = devices
  if (prefix !== undefined || timezone !== undefined || labels !== undefined) return null
  const isNone = devices.ids !== undefined && ids.length === 0
  return isNone || ids.length > MOST_IDS ? null : ids
}
