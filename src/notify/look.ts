import { formatDay, millisecondsInDay, utcDayOf } from '../base/time.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import { exceptionBits } from '../report/exceptions.ts'
import type { KeptNotice, Notice, NoticeCommit, NoticeKey, Told } from '../store/notices.ts'
import type { Store } from '../store/open-store.ts'
import type { StoreView } from '../store/view.ts'
import { closingsOf, daysClosing, daysOpen } from './closings.ts'
import { SILENT_BITS, type Watch } from './in-use.ts'
import { type Detail, measure, type NoticeBody, namesOf } from './notice.ts'
import { type SeenDay, ShardDays } from './shard-days.ts'

/** A day that settles is reported if it is at most this old, in days. Older days are reported only when revised. */
export const NEWS_DAYS = 7

/** `since` looks back at most this many days. */
const SINCE_DAYS = 31

/** Parameters of lookThrough. */
export interface Look {
  watches: readonly Watch[]
  /** Zones that devices are placed in. */
  zones: readonly string[]
  settings: DescriptionSettings
  /** Epoch ms. */
  now: number
}

/**
 * Compares the exceptions of the days that have changed or closed since the last call with those already reported, and
 * stores the differences as notices.
 *
 * @throws CoolerError `store-damaged`, `store-busy` and others of the store
 */
export async function lookThrough(store: Store, shard: number, look: Look): Promise<void> {
  for (;;) {
    const commit = await store.snapshot((view) => ShardLook.run(view, shard, look))
    // A rollup or another process committed meanwhile: compare again.
    if (commit === null || (await store.notices.note(commit))) return
  }
}

/** Compares one shard within one snapshot. */
class ShardLook {
  readonly #view: StoreView
  readonly #look: Look
  readonly #commit: NoticeCommit
  /** Tells whether there is a device of that number. */
  #exists: (device: number) => boolean = () => true
  /** By subscription and day. */
  readonly #told = new Map<string, ReadonlyMap<number, number>>()

  private constructor(view: StoreView, look: Look, commit: NoticeCommit) {
    this.#view = view
    this.#look = look
    this.#commit = commit
  }

  /** Returns the changes to store, or null if no day has changed or closed. */
  static async run(view: StoreView, shard: number, look: Look): Promise<NoticeCommit | null> {
    const { notices, rollups } = view
    const { revision, at } = await notices.noticed(shard)
    const rolledUpAt = (await rollups.lastRollupAt(shard)) ?? 0
    const days = await notices.dueDays(shard)
    if (days.length === 0 && at === rolledUpAt) return null
    const commit = {
      ...{ shard, version: await rollups.version(shard), revision, at: rolledUpAt, days },
      ...{ told: [] as Told[], notices: [] as Notice[], gone: [] as NoticeKey[] },
    }
    const own = new ShardLook(view, look, commit)
    await own.#lookAt(own.#daysToSee(days, at, rolledUpAt), commit)
    return commit
  }

  #daysToSee(changed: readonly number[], at: number, rolledUpAt: number): number[] {
    const { watches, zones, settings } = this.#look
    const days = new Set(changed)
    if (watches.some(({ mask }) => mask & SILENT_BITS)) {
      const span = { after: Math.max(at, rolledUpAt - NEWS_DAYS * millisecondsInDay), upTo: rolledUpAt }
      for (const day of daysClosing(zones, span, settings)) days.add(day)
    }
    if (watches.some(({ mask, provisional }) => provisional && mask & SILENT_BITS))
      for (const day of daysOpen(zones, rolledUpAt, settings)) days.add(day)
    const seen = watches.some(({ provisional }) => provisional)
      ? [...days]
      : [...days].filter((day) => closingsOf(zones, day, settings).first <= rolledUpAt)
    return seen.sort((one, other) => one - other)
  }

  async #lookAt(days: readonly number[], commit: NoticeCommit & { told: Told[] }): Promise<void> {
    if (days.length === 0 || this.#look.watches.length === 0) return
    const { shard } = commit
    for (const { day, subscription, bits } of await this.#view.notices.told(
      shard,
      days[0] - SINCE_DAYS,
      days[days.length - 1],
    ))
      this.#told.set(`${subscription} ${day}`, bits)
    const seenDays = await ShardDays.read(this.#view, shard, this.#look.settings)
    this.#exists = (device) => seenDays.has(device)
    for (const day of days) {
      const seen = await seenDays.on(day)
      const kept = await this.#view.notices.noticesOn(shard, day)
      for (const watch of this.#look.watches) await this.#compare(watch, day, seen, kept)
    }
  }

  /** Compares the exceptions of a day with those already reported to one subscription. */
  async #compare(watch: Watch, day: number, seen: readonly SeenDay[], kept: readonly KeptNotice[]): Promise<void> {
    const key = `${watch.id} ${day}`
    const old = this.#told.get(key) ?? new Map<number, number>()
    const bits = new Map<number, number>()
    const own = new Map(kept.filter(({ subscription }) => subscription === watch.id).map((one) => [one.device, one]))
    for (const one of seen) {
      const { number } = one.device
      const was = old.get(number) ?? 0
      const is = await this.#bitsOf(watch, one, was, day)
      if (is !== 0) bits.set(number, is)
      if (is !== was) await this.#note(watch, day, one, { was: own.get(number)?.before ?? was, is })
    }
    this.#keepUnseen(watch, day, { seen, old, bits, own })
    if (isSame(old, bits)) return
    this.#told.set(key, bits)
    this.#add('told', { day, subscription: watch.id, bits })
  }

  /**
   * Keeps the reported exceptions of devices without this day: the device was retired, or the clock was set back to
   * before the day. Drops those of erased devices.
   */
  #keepUnseen(
    watch: Watch,
    day: number,
    {
      seen,
      old,
      bits,
      own,
    }: {
      seen: readonly SeenDay[]
      old: ReadonlyMap<number, number>
      bits: Map<number, number>
      own: ReadonlyMap<number, KeptNotice>
    },
  ): void {
    const visible = new Set(seen.map(({ device }) => device.number))
    for (const [device, was] of old) if (!visible.has(device) && this.#exists(device)) bits.set(device, was)
    for (const device of own.keys()) {
      if (visible.has(device) || this.#exists(device)) continue
      this.#add('gone', { shard: this.#commit.shard, day, device, subscription: watch.id })
    }
  }

  /** Returns the exceptions to report, as bits; unchanged (`was`) for a day that is not to be reported now. */
  async #bitsOf(
    watch: Watch,
    { device, rollup, isSettled, timezone }: SeenDay,
    was: number,
    day: number,
  ): Promise<number> {
    if (!watch.selects(device, () => timezone)) return 0
    if (!isSettled && !watch.provisional) return was
    const is = exceptionBits(rollup, watch.limits) & watch.mask
    if (is === was || was !== 0) return is
    if (rollup.startAt + rollup.lengthMs <= watch.createdAt) return was
    if (day >= utcDayOf(this.#look.now) - NEWS_DAYS) return is
    return (await this.#view.rollups.revisions(device.number, day)).length > 0 ? is : was
  }

  async #note(watch: Watch, day: number, seen: SeenDay, { was, is }: { was: number; is: number }): Promise<void> {
    const { device, rollup, timezone, address, isSettled } = seen
    const key = { shard: this.#commit.shard, day, device: device.number, subscription: watch.id }
    if (was === is || !watch.selects(device, () => timezone)) return this.#add('gone', key)
    const details: NoticeBody['details'] = {}
    for (const name of namesOf(was | is)) {
      const detail: Detail = {
        ...measure(name, rollup, watch.limits),
        since: this.#since(watch, day, device.number, name),
      }
      details[name] = detail
    }
    const revisions = await this.#view.rollups.revisions(device.number, day)
    const body: NoticeBody = {
      after: is,
      status: !isSettled ? 'provisional' : revisions.length > 0 ? 'revised' : 'settled',
      timezone,
      address,
      causes: revisions.at(-1)?.causes ?? [],
      details,
    }
    this.#add('notices', { ...key, before: was, body: JSON.stringify(body) })
  }

  /** Returns the first day (YYYYMMDD) of the unbroken run of days, up to this one, with a reported exception. */
  #since(watch: Watch, day: number, device: number, name: Parameters<typeof measure>[0]): number {
    let since = day
    const held = (one: number): boolean =>
      namesOf(this.#told.get(`${watch.id} ${one}`)?.get(device) ?? 0).includes(name)
    while (since > day - SINCE_DAYS && held(since - 1)) since--
    return formatDay(since)
  }

  #add<List extends 'told' | 'notices' | 'gone'>(list: List, one: NoticeCommit[List][number]): void {
    ;(this.#commit[list] as (typeof one)[]).push(one)
  }
}

const isSame = (one: ReadonlyMap<number, number>, other: ReadonlyMap<number, number>): boolean =>
  one.size === other.size && [...one].every(([device, bits]) => other.get(device) === bits)
