import { CoolerError } from '../base/errors.ts'
import { formatDay } from '../base/time.ts'
import type { Notice, StoredSubscription } from '../store/notices.ts'
import type { Channel } from './channel.ts'
import { Damages } from './damages.ts'
import type { NoticeBody } from './notice.ts'
import { checkSubscription, type Subscription } from './subscription.ts'

/** Parses and checks a stored subscription. @throws CoolerError `store-damaged` if it is not valid */
export function readSubscription({ id, body }: StoredSubscription): Subscription {
  try {
    return checkSubscription(JSON.parse(body))
  } catch (error) {
    // The message of JSON.parse quotes the text, which may hold secrets.
    const why = error instanceof CoolerError ? error.message : 'it is not JSON'
    throw new CoolerError('store-damaged', `subscription ${id} cannot be read (${why})`)
  }
}

/** Returns the channel of a stored subscription; undefined if the subscription is not valid. */
export const channelOf = (stored: StoredSubscription): Channel | undefined => {
  const damages = new Damages()
  return damages.read(() => readSubscription(stored))?.channel
}

/** Parses the body of a stored notice. @throws CoolerError `store-damaged` if it is not valid */
export function readNotice({ shard, day, device, subscription, body }: Notice): NoticeBody {
  try {
    const notice = JSON.parse(body) as NoticeBody
    const { after, timezone, causes, details } = notice
    if (Number.isInteger(after) && typeof timezone === 'string' && Array.isArray(causes) && details instanceof Object)
      return notice
  } catch {}
  const place = `shard ${shard}, day ${formatDay(day)}, device ${device}`
  throw new CoolerError('store-damaged', `a notice of subscription ${subscription} cannot be read (${place})`)
}
