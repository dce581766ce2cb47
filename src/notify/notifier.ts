import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import { zoneName } from '../base/zone.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import type { Store } from '../store/open-store.ts'
import { composeDigests } from './compose.ts'
import { type Delivery, deliver } from './deliver.ts'
import { inUse, ofKind, watchesOf } from './in-use.ts'
import { lookThrough } from './look.ts'

/** How long messages are kept, and what was told of a day; later changes of the day are told no more. */
export const KEPT_DAYS = 90

/** What a notifier works with. */
export interface NotifierParts {
  /** Its own connection: the calls of a connection run one after another. */
  store: Store
  settings: DescriptionSettings
  delivery: Omit<Delivery, 'notices' | 'now'>
  /** Returns the time of the store, epoch ms. */
  now: () => number
}

/** Finds what is to be told, makes it into messages, and sends them. Any number of processes may do so at once. */
export class Notifier {
  readonly #parts: NotifierParts
  #forgottenDay = -1

  constructor(parts: NotifierParts) {
    this.#parts = parts
  }

  /** Does everything that is due; returns how many messages were made. */
  async run(signal: AbortSignal): Promise<{ composed: number }> {
    const composed = await this.find(signal)
    const { store, delivery, now } = this.#parts
    await deliver({ ...delivery, notices: store.notices, now }, signal)
    await this.#forget()
    return { composed }
  }

  /** Finds what is to be told and makes it into messages; returns how many. */
  async find(signal: AbortSignal): Promise<number> {
    const { store, settings } = this.#parts
    const all = inUse(await store.notices.subscriptions())
    if (all.length === 0) return 0
    const now = this.#parts.now()
    const zones = await zonesInUse(store, settings.defaultZone)
    const exceptions = ofKind(all, 'exceptions')
    const watches = watchesOf(exceptions, settings.exceptions)
    for (let shard = 0; shard < store.archive.shards && !signal.aborted; shard++)
      await lookThrough(store, shard, { watches, zones, settings, now })
    let composed = 0
    for (const one of exceptions)
      if (!signal.aborted) composed += await composeDigests(store, one, { zones, settings, now })
    return composed
  }

  /** Once a day. */
  async #forget(): Promise<void> {
    const { store } = this.#parts
    const now = this.#parts.now()
    const today = utcDayOf(now)
    if (today === this.#forgottenDay) return
    await store.notices.forgetNotices(now - KEPT_DAYS * millisecondsInDay, today - KEPT_DAYS)
    this.#forgottenDay = today
  }
}

/** Returns the zones in which devices stand. */
async function zonesInUse({ registry }: Pick<Store, 'registry'>, defaultZone: string): Promise<string[]> {
  const names = (await registry.zones()).map((zone) => (zone === '' ? defaultZone : (zoneName(zone) ?? zone)))
  return [...new Set([...names, defaultZone])]
}
