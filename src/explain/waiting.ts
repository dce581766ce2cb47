import { millisecondsInDay } from '../base/time.ts'
import type { RawReads } from '../store/view.ts'
import type { Explanation } from './explanation.ts'
import type { FoundDay } from './find-day.ts'

/** What the next rollup has still to do for the day. */
export async function waitingFor(
  raw: RawReads,
  { device: { number }, shard, start, end }: FoundDay,
): Promise<Pick<Explanation, 'waiting' | 'due'>> {
  let waiting = 0
  for (const { id, utcDay } of await raw.dueSegments(shard)) {
    const midnight = utcDay * millisecondsInDay
    if (midnight >= end || midnight + millisecondsInDay <= start) continue
    const [{ count, device, at }] = await raw.segments([id])
    for (let row = 0; row < count; row++) {
      const instant = midnight + at[row]
      if (device[row] === number && instant >= start && instant < end) waiting++
    }
  }
  const due = (await raw.dueDevices(shard)).filter(
    ({ device, fromAt, toAt }) => device === number && fromAt < end && toAt >= start,
  )
  const causes = [...new Set(due.flatMap((entry) => entry.causes))].sort()
  return { waiting, due: due.length === 0 ? null : { causes } }
}
