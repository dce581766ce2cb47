import { zoneName } from '../base/zone.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import type { Store } from '../store/open-store.ts'
import { composeDigests } from './compose.ts'
import { Damages } from './damages.ts'
import { inUse, ofKind, watchesOf } from './in-use.ts'
import { lookThrough } from './look.ts'

/** Dependencies of findNotices. */
export interface Finding {
  /** A connection of its own: the calls of a connection run one after another. */
  store: Store
  settings: DescriptionSettings
  /** Returns the time of the store, epoch ms. */
  now: () => number
}

/**
 * Compares the shards with changes, and composes the messages that are due; returns their number. Any number of
 * processes may do so at the same time. Damage delays only its own shard, subscription or notice.
 *
 * @throws CoolerError `store-damaged` after all else is done
 */
export async function findNotices({ store, settings, now: time }: Finding): Promise<number> {
  const damages = new Damages()
  const all = inUse(await store.notices.subscriptions(), damages)
  const now = time()
  const zones = await zonesInUse(store, settings.defaultZone)
  const exceptions = ofKind(all, 'exceptions')
  const watches = watchesOf(exceptions, settings.exceptions)
  if (all.length > 0)
    for (const shard of await store.notices.dueShards())
      await damages.pass(lookThrough(store, shard, { watches, zones, settings, now }))
  let composed = 0
  for (const one of exceptions)
    composed += (await damages.pass(composeDigests(store, one, { zones, settings, now, damages }))) ?? 0
  damages.throwFirst()
  return composed
}

/** Returns the zones in which devices stand. */
async function zonesInUse({ registry }: Pick<Store, 'registry'>, defaultZone: string): Promise<string[]> {
  const names = (await registry.zones()).map((zone) => (zone === '' ? defaultZone : (zoneName(zone) ?? zone)))
  return [...new Set([...names, defaultZone])]
}
