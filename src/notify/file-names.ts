import { formatDay } from '../base/time.ts'
import { EXPORT_FORMATS } from '../report/export/formats.ts'
import type { Period } from './periods.ts'
import type { BackupSubscription, ReportSubscription } from './subscription.ts'

/** Ending of the copies of a store. */
const COPY_ENDING = 'sqlite'

/** Returns the media type of the file of a subscription. */
export function mediaTypeOf(subscription: ReportSubscription | BackupSubscription): string {
  if (subscription.kind === 'backup') return 'application/vnd.sqlite3'
  return subscription.format === 'json' ? 'application/json' : EXPORT_FORMATS[subscription.format].mediaType
}

/**
 * Returns the name of a file, such as `route-12-20261123-20261129.v2.xlsx`; version 1 has no suffix. A store's copy is
 * named after the last day of its period alone, so that no name is one of two subscriptions' copies.
 */
export function fileNameOf(
  subscription: ReportSubscription | BackupSubscription,
  { fromDay, toDay }: Period,
  version = 1,
): string {
  const isCopy = subscription.kind === 'backup'
  const days = isCopy || fromDay === toDay ? [toDay] : [fromDay, toDay]
  const name = [subscription.id, ...days.map(formatDay)].join('-')
  return `${name}${version === 1 ? '' : `.v${version}`}.${isCopy ? COPY_ENDING : subscription.format}`
}

/** Returns the prefix of all file names of a subscription. Files of other subscriptions may share it. */
export const namesBegin = (subscription: string): string => `${subscription}-`

const COPY_NAME = new RegExp(`^(\\d{8})(?:\\.v([1-9]\\d{0,8}))?\\.${COPY_ENDING}$`)

/**
 * Returns which copies of a subscription's store to remove, of all names in a place, so that `keep` remain: the newest,
 * and in any case the one that was delivered last. Any other name is left alone.
 */
export function copiesToRemove(
  names: readonly string[],
  subscription: string,
  { delivered, keep }: { delivered: string; keep: number },
): string[] {
  const copies = names.flatMap((name) => {
    const match = name.startsWith(namesBegin(subscription))
      ? COPY_NAME.exec(name.slice(namesBegin(subscription).length))
      : null
    return match === null || name === delivered ? [] : [{ name, day: Number(match[1]), version: Number(match[2] ?? 1) }]
  })
  const newestFirst = copies.sort((one, other) => other.day - one.day || other.version - one.version)
  return newestFirst.slice(keep - 1).map(({ name }) => name)
}
