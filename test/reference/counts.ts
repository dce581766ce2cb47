import type { KeptEvent } from './kept-event.ts'
import type { Window } from './local-day.ts'

const isWithin = (event: KeptEvent, day: Window) => event.at >= day.start && event.at < day.end

/**
 * `visitorCount` (RULES.md section 3) of a day, from all events of the device in their order: counts, and increases of
 * the running total. Exact as long as the sum is below 2^53.
 */
export function visitorsOf(ordered: readonly KeptEvent[], day: Window): number {
  let visitors = 0
  let last: number | null = null
  for (const event of ordered) {
    if (event.type !== 'visitor') continue
    let increase = event.count ?? 0
    if (event.total !== null) {
      const { total } = event
      // Below nine tenths: a restart. Below, but not by more than a tenth: a flicker, which changes nothing.
      const isRestart = last !== null && 10n * BigInt(total) < 9n * BigInt(last)
      const isFlicker = last !== null && total < last && !isRestart
      if (last !== null) increase = isRestart ? total : isFlicker ? 0 : total - last
      if (!isFlicker) last = total
    }
    if (isWithin(event, day)) visitors += increase
  }
  return visitors
}

/**
 * `openCloseNum` (RULES.md section 3) of a day, from all events of the device in their order. Counting changes, the
 * first report of a door counts, and a `count` counts as many and says nothing of the state.
 */
export function doorsOf(ordered: readonly KeptEvent[], day: Window, doorCount: 'events' | 'changes'): number {
  let doors = 0
  let state: boolean | null = null
  for (const event of ordered) {
    if (event.type !== 'door') continue
    const isRepeat = event.open !== null && event.open === state
    if (event.open !== null) state = event.open
    if (!isWithin(event, day) || (doorCount === 'changes' && isRepeat)) continue
    doors += event.count ?? 1
  }
  return doors
}
