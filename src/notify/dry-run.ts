import { EXCEPTION_NAMES } from '../base/exceptions.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import { exceptionBits } from '../report/exceptions.ts'
import type { StoreView } from '../store/view.ts'
import type { Watch } from './in-use.ts'
import type { ExceptionItem } from './message.ts'
import { measure, namesOf } from './notice.ts'
import { ShardDays } from './shard-days.ts'

/** An exception that a subscription asks for. */
export type WouldTell = Pick<ExceptionItem, 'deviceId' | 'exception' | 'value' | 'limit' | 'unit' | 'timezone'> & {
  subscription: string
  status: 'provisional' | 'settled'
}

/**
 * Returns the exceptions of a local day (epoch day) that subscriptions ask for, whether they have been reported or not,
 * ordered by subscription, exception and id. Call it within a snapshot.
 */
export async function wouldTell(
  view: Pick<StoreView, 'registry' | 'rollups'>,
  watches: readonly Watch[],
  day: number,
  settings: DescriptionSettings,
): Promise<WouldTell[]> {
  const found: WouldTell[] = []
  for (let shard = 0; shard < view.rollups.shards; shard++) {
    const days = await ShardDays.read(view, shard, settings)
    for (const { device, rollup, isSettled, timezone } of await days.on(day)) {
      for (const { id, selects, provisional, limits, mask } of watches) {
        if (!selects(device, () => timezone) || !(isSettled || provisional)) continue
        for (const exception of namesOf(exceptionBits(rollup, limits) & mask)) {
          const status = isSettled ? 'settled' : 'provisional'
          const one = { subscription: id, deviceId: device.id, exception, status, timezone } as const
          found.push({ ...one, ...measure(exception, rollup, limits) })
        }
      }
    }
  }
  const rank = ({ exception }: WouldTell): number => EXCEPTION_NAMES.indexOf(exception)
  const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
  return found.sort(
    (one, other) =>
      compare(one.subscription, other.subscription) || rank(one) - rank(other) || compare(one.deviceId, other.deviceId),
  )
}
