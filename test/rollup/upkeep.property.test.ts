import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Landing } from '../../src/ingest/landing.ts'
import type { Store } from '../../src/open-store.ts'
import { compactDay } from '../../src/raw/compact-day.ts'
import { NO_SEQ } from '../../src/raw/event-columns.ts'
import type { Placement } from '../../src/raw/placement.ts'
import { takenFrom } from '../../src/raw/raw-store.ts'
import { openStore, productSettings, rollUpAll } from '../helpers/run-history.ts'
import { type History, historyArbitrary } from '../reference/arbitraries.ts'
import { checkEvent } from '../reference/check-event.ts'
import type { KeptEvent } from '../reference/kept-event.ts'
import { actualOf, expectedFrom } from './history-outcome.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const ZONES = ['UTC', 'Pacific/Kiritimati', 'Etc/GMT+12', 'Europe/Berlin', '']

/** What is done between two landings; `place` chooses a day, a device or a bound. */
const doing = fc.record({
  kind: fc.constantFrom('rollup', 'rollup', 'compact', 'compact', 'move', 'move back', 'restart', 'prune', 'nothing'),
  place: fc.nat(),
  earlierMs: fc.constantFrom(0, 0, HOUR_MS, 3 * DAY_MS),
  refresh: fc.boolean(),
})
type Doing = typeof doing extends fc.Arbitrary<infer T> ? T : never

/** A store on disk with what is done to it, and what it should hold by then. */
class Session {
  readonly #history: History
  readonly #location: string
  readonly #settings
  /** Only histories whose placements come first are pruned: what a later one changes of deleted days is not computed. */
  readonly #prunes: boolean
  readonly kept: KeptEvent[] = []
  /** Placements that were added for a while, by device. */
  readonly #extra = new Map<string, Placement>()
  store: Store

  constructor(history: History, folder: string, prunes: boolean) {
    this.#history = history
    this.#prunes = prunes
    this.#settings = productSettings(history.settings)
    this.#location = join(folder, 'store.sqlite')
    this.store = openStore({ location: this.#location, rejectsKept: 1000 })
  }

  async land(events: readonly unknown[]): Promise<void> {
    const { asOfMs } = this.#history
    const bound = takenFrom(await this.store.raw.purgedBefore())
    const landing = new Landing(this.store.raw, { now: () => asOfMs, purgedBefore: () => bound })
    const { landed } = await landing.land({ events })
    // Placements are kept apart, for ever: none comes too late.
    const checked = events.map((event) => checkEvent(event, asOfMs, isPlacement(event) ? 0 : bound))
    const good = checked.flatMap((one) => ('event' in one ? [one.event] : []))
    expect(landed).toBe(good.length)
    this.kept.push(...good)
  }

  async do({ kind, place, earlierMs, refresh }: Doing): Promise<void> {
    const { asOfMs } = this.#history
    if (kind === 'rollup') await rollUpAll(this.store, this.#settings, asOfMs - earlierMs, refresh)
    if (kind === 'compact') await this.#compact(place)
    if (kind === 'prune' && this.#prunes) await this.#prune(place)
    if (kind === 'move' && !this.#prunes) await this.#move(place)
    if (kind === 'move back') await this.moveBack()
    if (kind === 'restart') {
      this.store.close()
      this.store = openStore({ location: this.#location, rejectsKept: 1000 })
    }
  }

  async #compact(place: number): Promise<void> {
    const days = await this.store.raw.daysToCompact(1_000_000)
    const day = days[place % Math.max(1, days.length)]
    if (day !== undefined) await compactDay(this.store.raw, day.shard, day.utcDay)
  }

  /** Deletes up to some day amid the events; what is due would stand in the way. */
  async #prune(place: number): Promise<void> {
    await rollUpAll(this.store, this.#settings, this.#history.asOfMs, true)
    const instants = this.kept.filter(({ type }) => type !== 'placement').map(({ at }) => at)
    if (instants.length === 0) return
    const before = Math.floor((instants[place % instants.length] as number) / DAY_MS)
    while ((await this.store.raw.pruneDay(before)) !== null);
  }

  async #move(place: number): Promise<void> {
    const devices = await this.store.registry.devices()
    const device = devices[place % Math.max(1, devices.length)]
    if (device === undefined || this.#extra.has(device.id)) return
    const own = (await this.store.registry.placements([device.number])).get(device.number) ?? []
    const at = this.#history.asOfMs - (place % 40) * DAY_MS
    const extra = { at, seq: NO_SEQ, lat: 123, lon: 456, zone: ZONES[place % ZONES.length] as string, address: null }
    this.#extra.set(device.id, extra)
    await this.store.registry.put(device.id, { placements: [...own, extra] }, this.#history.asOfMs)
  }

  /** Takes all placements away that `#move` added. */
  async moveBack(): Promise<void> {
    for (const [id, extra] of this.#extra) {
      const device = await this.store.registry.device(id)
      if (device === null) continue
      const all = (await this.store.registry.placements([device.number])).get(device.number) ?? []
      const own = all.filter(({ at, lat, lon }) => at !== extra.at || lat !== extra.lat || lon !== extra.lon)
      await this.store.registry.put(id, { placements: own }, this.#history.asOfMs)
    }
    this.#extra.clear()
  }

  async finish(): Promise<void> {
    await this.moveBack()
    await rollUpAll(this.store, this.#settings, this.#history.asOfMs, true)
  }
}

async function withSession<Result>(history: History, prunes: boolean, work: (session: Session) => Promise<Result>) {
  const folder = mkdtempSync(join(tmpdir(), 'cooler-test-'))
  const session = new Session(history, folder, prunes)
  try {
    return await work(session)
  } finally {
    session.store.close()
    rmSync(folder, { recursive: true })
  }
}

/** Cuts a list at the given places. */
function cut<Item>(items: readonly Item[], places: readonly number[]): Item[][] {
  const at = [...new Set(places.map((place) => place % (items.length + 1)))].sort((one, other) => one - other)
  return [...at, items.length].map((end, index) => items.slice(index === 0 ? 0 : at[index - 1], end))
}

const isPlacement = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && (event as { type?: unknown }).type === 'placement'

test('landings, rollups, compaction, pruning, moves and restarts in any order end in the figures of the events', async () => {
  const schedule = fc.record({
    history: historyArbitrary(),
    order: fc.infiniteStream(fc.nat()),
    cuts: fc.array(fc.nat(), { maxLength: 6 }),
    repeats: fc.array(fc.nat(), { maxLength: 3 }),
    doings: fc.array(fc.array(doing, { maxLength: 4 }), { minLength: 10, maxLength: 10 }),
    prunes: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(schedule, ({ history, order, cuts, repeats, doings, prunes }) =>
      withSession(history, prunes, async (session) => {
        const keys = history.events.map((event) => (prunes && isPlacement(event) ? -1 : (order.next().value as number)))
        const shuffled = history.events.map((_, index) => index).sort((one, other) => keys[one] - keys[other])
        const first = prunes ? shuffled.filter((index) => keys[index] === -1) : []
        const rest = shuffled.slice(first.length)
        const eventsOf = (indexes: readonly number[]): unknown[] => indexes.map((index) => history.events[index])
        const batches = [eventsOf(first), ...cut(eventsOf(rest), cuts)]
        const again = repeats.map((place) => batches[place % batches.length] as unknown[])
        for (const [index, batch] of [...batches, ...again].entries()) {
          await session.land(batch)
          for (const one of doings[index % doings.length] as Doing[]) await session.do(one)
        }
        await session.finish()
        const expected = expectedFrom(session.kept, history)
        expect(await actualOf(session.store, history, expected.days)).toEqual(expected)
      }),
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 60), endOnFailure: true },
  )
})
