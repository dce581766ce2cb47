import { millisecondsInDay } from '../base/time.ts'
import type { StoreRest } from '../store/moving.ts'
import type { Cause } from '../store/revision.ts'
import type { FurtherDue } from '../store/rollup-store.ts'
import type { StoreView } from '../store/view.ts'
import { noticesOf } from './copy-notices.ts'
import type { Copying } from './copying.ts'
import type { DeviceNumbers } from './device-numbers.ts'
import { numberRanges } from './number-ranges.ts'

const REJECTS_AT_ONCE = 500

/** Copies rejected events: each keeps its id, and none is changed, so only ids are compared. */
export async function copyRejects({ target, snapshot }: Copying): Promise<void> {
  await snapshot(async ({ moving }) => {
    const wanted = new Set(await moving.rejectIds())
    const there = new Set(await target.view.moving.rejectIds())
    const gone = [...there].filter((id) => !wanted.has(id))
    if (gone.length > 0) await target.deleteRejects(gone)
    for (let after = 0; ; ) {
      const some = await moving.rejects(after, REJECTS_AT_ONCE)
      if (some.length === 0) return
      after = some[some.length - 1].id
      const fresh = some.filter(({ id }) => !there.has(id))
      if (fresh.length > 0) await target.addRejects(fresh)
    }
  })
}

/** Copies everything that is small. */
export async function copyRest({ target, numbers, snapshot }: Copying, now: number): Promise<void> {
  await snapshot(async (view) => {
    const due = await dueOf(view)
    await target.putRest({
      ...(await importsOf(view, target.shards)),
      counters: await view.landing.counters(),
      rules: await view.rollups.rules(),
      zoneClocks: await view.rollups.zoneClocks(),
      purgedBefore: await view.archive.purgedBefore(),
      lastRejectId: await view.moving.lastRejectId(),
      due: due.map((one) => ({ ...one, device: numbers.target(one.device) })),
      rolledUpAt: await rolledUpAtOf(view, target.shards, numbers),
      ...(await noticesOf(view, { target, numbers })),
      now,
    })
  })
}

async function importsOf({ erasure, archive }: StoreView, shards: number) {
  const imports = await erasure.latestImports(2 ** 31 - 1)
  const purgedBefore = await archive.purgedBefore()
  const purgedParts: StoreRest['purgedParts'][number][] = []
  for (const { number } of imports) {
    for (const { shard, utcDay } of await erasure.importDays(number))
      if (utcDay * millisecondsInDay < purgedBefore) purgedParts.push({ import: number, shard: shard % shards, utcDay })
  }
  return { imports, purgedParts }
}

/** Returns the due entries of all devices. */
export async function dueOf({ due, archive }: Pick<StoreView, 'due' | 'archive'>): Promise<FurtherDue[]> {
  const all: FurtherDue[] = []
  for (let shard = 0; shard < archive.shards; shard++) {
    for (const { device, fromAt, toAt, causes } of await due.devices(shard))
      all.push({ device, fromAt, toAt, causes: causes as Cause[] })
  }
  return all
}

/**
 * Returns for each shard of the target when everything was rolled up in the shards of the source that its devices are
 * from: the earliest instant. The days that have closed since then count as not rolled up yet.
 */
async function rolledUpAtOf(view: StoreView, shards: number, numbers: DeviceNumbers): Promise<(number | null)[]> {
  const bySource: (number | null)[] = []
  for (let shard = 0; shard < view.rollups.shards; shard++) bySource.push(await view.rollups.lastRollupAt(shard))
  const instants = bySource.filter((at) => at !== null)
  const earliest = new Array<number | null>(shards).fill(instants.length === 0 ? null : Math.min(...instants))
  const of = earliest.map(() => new Set<number>())
  for (const range of await numberRanges(view.registry, view.rollups.shards)) {
    for (const { number } of await view.moving.devices(range))
      of[numbers.target(number) % shards].add(number % view.rollups.shards)
  }
  return earliest.map((at, shard) => {
    const own = [...of[shard]].map((source) => bySource[source])
    if (own.length === 0) return at
    return own.includes(null) ? null : Math.min(...(own as number[]))
  })
}
