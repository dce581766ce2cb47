import { millisecondsInDay } from '../base/time.ts'
import { isCause } from '../store/revision.ts'
import type { StoreView } from '../store/view.ts'
import type { Explanation } from './explanation.ts'
import type { FoundDay } from './find-day.ts'

/** What the next rollup has still to do for the day. */
export async function waitingFor(
  { due: allDue, archive }: Pick<StoreView, 'due' | 'archive'>,
  { device: { number }, shard, start, end }: FoundDay,
): Promise<Pick<Explanation, 'waiting' | 'due'>> {
  let waiting = 0
  for (const { id, utcDay } of await allDue.segments(shard)) {
    const midnight = utcDay * millisecondsInDay
    if (midnight >= end || midnight + millisecondsInDay <= start) continue
    const [{ count, device, at }] = await archive.segments([id])
    for (let row = 0; row < count; row++) {
      const instant = midnight + at[row]
      if (device[row] === number && instant >= start && instant < end) waiting++
    }
  }
  const due = (await allDue.devices(shard)).filter(
    ({ device, fromAt, toAt }) => device === number && fromAt < end && toAt >= start,
  )
  const causes = [...new Set(due.flatMap((entry) => entry.causes))].filter(isCause).sort()
  return { waiting, due: due.length === 0 ? null : { causes } }
}
