import type { ExceptionLimits, ExceptionName } from '../base/exceptions.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { type Figures, finalise } from '../rollup/figures/figures.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import { type DeviceDay, isOpen } from '../store/device-day.ts'
import { placeOf, type RollupReads } from '../store/rollup-store.ts'
import { addDay, newTotals } from '../store/totals.ts'
import { exceptionsOf, NEVER_HEARD } from './exceptions.ts'

/** What is stored of a device-day, as figures and more. */
export interface DescribedDay extends Figures {
  /** Epoch day. */
  day: number
  status: 'provisional' | 'settled' | 'revised' | 'none'
  hoursOff: number
  /** Hours of the day so far with an unknown power state; null without a rollup. */
  hoursUnknown: number | null
  /** Instant of the last event up to the end of the day, or to its rollup, epoch ms; null before the first. */
  lastHeardAt: number | null
  exceptions: ExceptionName[]
}

/**
 * Returns the local days (epoch days, both ends included) of a device, each once, ascending. A day before the first
 * event is one of silence; one that is not rolled up yet has no exceptions.
 */
export async function deviceDays(
  rollups: RollupReads,
  device: number,
  { fromDay, toDay, now }: { fromDay: number; toDay: number; now: number },
  limits: ExceptionLimits,
): Promise<DescribedDay[]> {
  const { shard, block, slot } = placeOf(device, rollups.shards)
  const stored = new Map<number, DeviceDay>()
  for (const { day, body } of await rollups.storedRows(shard, block, fromDay, toDay)) {
    const rollup = decodeBlock(body, [shard, block, day])[slot]
    if (rollup !== null) stored.set(day, rollup)
  }
  const firstHeardAt = (await rollups.states([device])).get(device)?.firstHeardAt ?? null
  const firstDay = stored.keys().next().value ?? utcDayOf(firstHeardAt ?? now + millisecondsInDay)
  const revised = new Set(await rollups.revisedDays(device, fromDay, toDay))
  return Array.from({ length: toDay - fromDay + 1 }, (_, nth) => {
    const day = fromDay + nth
    const rollup = stored.get(day)
    if (rollup !== undefined) return describe(day, rollup, revised.has(day), limits)
    return { ...EMPTY, day, exceptions: day < firstDay ? [...NEVER_HEARD] : [] }
  })
}

const EMPTY = {
  status: 'none',
  ...finalise(newTotals(1), 0),
  hoursOff: 0,
  hoursUnknown: null,
  lastHeardAt: null,
} as const

function describe(day: number, rollup: DeviceDay, isRevised: boolean, limits: ExceptionLimits): DescribedDay {
  const totals = newTotals(1)
  addDay(totals, 0, rollup)
  const { offMs, onMs, passedMs, lastHeardAt } = rollup
  return {
    day,
    status: isOpen(rollup) ? 'provisional' : isRevised ? 'revised' : 'settled',
    ...finalise(totals, 0),
    hoursOff: hours(offMs),
    hoursUnknown: hours(passedMs - onMs - offMs),
    lastHeardAt: lastHeardAt === 0 ? null : lastHeardAt,
    exceptions: exceptionsOf(rollup, limits),
  }
}

/** As hours of the figures are rounded: to 4 decimals. */
const hours = (ms: number): number => Math.round(ms / 360) / 10_000
