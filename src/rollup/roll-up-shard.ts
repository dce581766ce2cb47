import type { DeviceDay } from '../store/device-day.ts'
import type { RollupCommit } from '../store/rollup-store.ts'
import { DamagedDevices } from './damaged-devices.ts'
import { Calendars } from './local-day.ts'
import { Revisions } from './revisions.ts'
import { RollupMemory } from './rollup-memory.ts'
import type { RollupRequest, RollupResult, RollupRoles, RollupSettings } from './rollup-request.ts'
import { ShardPass } from './shard-pass.ts'

/**
 * Computes everything that is due in one shard (DESIGN.md 4): the days of newly landed events, the days of devices
 * whose placement changed, and the days that were not over at their last rollup and are over now. Due entries are
 * cleared in the transaction that stores the results. Events that land after the last pass has begun stay due until the
 * next rollup, so that a rollup ends however fast they come.
 *
 * @throws CoolerError `store-damaged`, after everything that can be computed is stored; `other-rules`
 */
export async function rollUpShard(
  stores: RollupRoles,
  shard: number,
  settings: RollupSettings,
  request: RollupRequest,
  memory = new RollupMemory(),
): Promise<RollupResult> {
  const calendars = new Calendars(settings)
  const result = { deviceDays: 0, events: 0, repeats: 0, passes: 0 }
  // Read before the first pass: days that a pass leaves to the next one have not been settled as days without data.
  const lastRollupAt = await stores.rollups.lastRollupAt(shard)
  const damaged = new DamagedDevices()
  let asked = request
  let windowFrom = -Infinity
  for (;;) {
    const parts = { calendars, revisions: new Revisions(lastRollupAt), damaged, memory, windowFrom }
    const pass = await stores.snapshot((view) => ShardPass.run(view, shard, settings, asked, parts))
    if (pass === null) break
    // Another rollup of this shard committed meanwhile. Plan again: what it did not do is still due.
    if (!(await stores.rollups.commit(pass.commit))) continue
    result.passes++
    for (const rollup of rollupsIn(pass.commit)) {
      result.deviceDays++
      result.repeats += rollup.repeats
    }
    result.events += pass.events
    if (!pass.isPartial) break
    windowFrom = pass.windowEnd
    asked = { now: request.now, ...(request.clock === undefined ? {} : { clock: request.clock }) }
  }
  damaged.report(shard)
  return result
}

function* rollupsIn({ changes }: RollupCommit): Generator<DeviceDay> {
  for (const days of changes.values())
    for (const slots of days.values()) for (const rollup of slots.values()) if (rollup !== null) yield rollup
}
