import { millisecondsInDay } from '../base/time.ts'
import { readSegments } from '../store/read-segments.ts'
import { isCause } from '../store/revision.ts'
import type { StoreView } from '../store/view.ts'
import type { Explanation } from './explanation.ts'
import type { FoundDay } from './find-day.ts'

/** Returns what the next rollup still has to do for the day: how many events wait, and why the day is due. */
export async function waitingFor(
  { due: allDue, archive }: Pick<StoreView, 'due' | 'archive'>,
  { device: { number }, shard, start, end }: FoundDay,
): Promise<Pick<Explanation, 'waiting' | 'due'>> {
  let waiting = 0
  const ofDay = (await allDue.segments(shard)).filter(({ utcDay }) => {
    const midnight = utcDay * millisecondsInDay
    return midnight < end && midnight + millisecondsInDay > start
  })
  for await (const [{ utcDay }, { count, device, at }] of readSegments(archive, shard, ofDay)) {
    const midnight = utcDay * millisecondsInDay
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
