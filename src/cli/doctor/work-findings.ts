import { type Finding, fault, ok } from '../../base/finding.ts'
import { formatDay, millisecondsInDay, millisecondsInHour, millisecondsInMinute, utcDayOf } from '../../base/time.ts'
import { isOlderZoneData, RUNTIME_ZONES } from '../../base/zone-clock.ts'
import type { Config } from '../../config/config.ts'
import { rulesText, zoneDataOf } from '../../rollup/rules.ts'
import { rollupSettings, storeOptions } from '../../service/pipeline.ts'
import { LONGEST_DAY_MS } from '../../store/archive.ts'
import { openStoreReader } from '../../store/open-store.ts'
import type { StoreView } from '../../store/view.ts'
import { subscriptionFindings } from './subscription-findings.ts'

/** Raw events are deleted once a day; a delay of two more days is no reason to worry. */
const LATE_PRUNE_MS = 2 * millisecondsInDay

/** Checks that a service has done its regular work: rollups, deletion of old raw events. The store must be readable. */
export async function workFindings(config: Config, now = Date.now()): Promise<Finding[]> {
  const store = await openStoreReader(storeOptions(config))
  try {
    return await store.snapshot(async (view) => [
      await rollupFinding(view, config, now),
      await clockFinding(view, now),
      await rulesFinding(view, config),
      await retentionFinding(view, config, now),
      ...(await subscriptionFindings(config, view.notices)),
    ])
  } finally {
    await store.close()
  }
}

async function rollupFinding({ due, rollups }: StoreView, { refreshMs }: Config, now: number): Promise<Finding> {
  const check = 'work rollups'
  const { dueSegments, dueDevices, lateDays } = await due.counts(now)
  const lastAt = await rollups.lastRollupAt()
  const silentMs = now - (lastAt ?? now)
  const since = lastAt === null ? 'there has been none yet' : `the last was ${hours(silentMs)} h ago`
  const message = `due: ${dueSegments} segments (of ${lateDays} past days), ${dueDevices} devices; ${since}`
  const isLate = lastAt === null || silentMs > Math.max(millisecondsInHour, 4 * refreshMs)
  if (dueSegments + dueDevices === 0 || !isLate) return ok(check, message)
  const advice =
    'run a service (`cooler start` or `cooler work`), or `cooler rollup`; where one runs, its log tells more'
  return fault(check, silentMs > millisecondsInDay ? 'failure' : 'warning', message, advice)
}

const hours = (spanMs: number): string => (spanMs / millisecondsInHour).toFixed(1)

async function clockFinding({ rollups }: StoreView, now: number): Promise<Finding> {
  const check = 'work clock'
  const lastAt = await rollups.lastRollupAt()
  if (lastAt === null || lastAt <= now + millisecondsInMinute) return ok(check, 'not behind the last rollup')
  const message = `${hours(lastAt - now)} h behind the last rollup`
  return fault(check, 'warning', message, 'set the clock of this machine (NTP): events of the future are rejected')
}

async function rulesFinding({ rollups }: StoreView, config: Config): Promise<Finding> {
  const check = 'work rules'
  const rules = await rollups.rules()
  const own = rulesText(rollupSettings(config))
  if (rules === null || rules === own) return ok(check, 'the settings here are those of the rollups')
  const message = `rollups were made by ${rules}, the settings here are ${own}`
  if (isOlderZoneData(RUNTIME_ZONES.version, zoneDataOf(rules)))
    return fault(check, 'warning', message, 'this process does not roll up: run it with a newer Node.js')
  return fault(check, 'warning', message, 'a service that starts with these computes again what they change')
}

async function retentionFinding({ archive }: StoreView, { rawRetentionMs }: Config, now: number): Promise<Finding> {
  const check = 'work raw retention'
  let first = Number.POSITIVE_INFINITY
  for (let shard = 0; shard < archive.shards; shard++) {
    first = Math.min(first, (await archive.nextDay(shard, Number.MIN_SAFE_INTEGER)) ?? first)
  }
  if (first === Number.POSITIVE_INFINITY) return ok(check, 'there are no raw events')
  const message = `raw events since UTC day ${formatDay(first)}`
  if (rawRetentionMs === null) return ok(check, `${message}, kept for ever`)
  const days = rawRetentionMs / millisecondsInDay
  if (first >= utcDayOf(now - rawRetentionMs - LONGEST_DAY_MS - LATE_PRUNE_MS)) {
    return ok(check, `${message}, kept for ${days} days`)
  }
  const advice = 'run a service, or `cooler prune-raw`; what is due for a rollup is not deleted before that'
  return fault(check, 'warning', `${message}, though they are to be kept for ${days} days`, advice)
}
