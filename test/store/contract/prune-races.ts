import { expect, test } from 'vitest'
import { NO_SEQ } from '../../../src/event/event-columns.ts'
import { Landing } from '../../../src/ingest/landing.ts'
import { rollUpShard } from '../../../src/rollup/roll-up-shard.ts'
import type { RollupRequest } from '../../../src/rollup/rollup-request.ts'
import { takenFrom } from '../../../src/store/archive.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { compactDay } from '../../../src/upkeep/compact-day.ts'
import { readEverything } from '../../helpers/raw-events.ts'
import { event, land, NOW, power, rollUp, SETTINGS, storedDays, visitor } from '../../rollup/shard-fixture.ts'
import type { Engine } from '../test-store.ts'
import { nextStep, stepped } from './stepped.ts'

/** Pruning at any step of a rollup, and rollups at any step of each other, lose nothing and compute nothing twice. */
export function pruneRaces(engine: Engine): void {
  const DAY_MS = 86_400_000
  const END = 100_000
  const FIRST_DAY = Date.parse('2024-05-01T00:00:00Z') / DAY_MS
  const NEVER = -1
  const PATIENCE_MS = 120_000

  /** Calls `attempt` with each step at which something else may happen, and last with none. */
  async function atEveryStep(attempt: (step: number) => Promise<number>): Promise<void> {
    const steps = await attempt(NEVER)
    expect(steps).toBeGreaterThan(1)
    for (let step = nextStep(NEVER); step < steps; step = nextStep(step)) await attempt(step)
  }

  const days = Array.from({ length: 20 }, (_, index) => `05-${String(index + 1).padStart(2, '0')}`)
  const history = days.flatMap((day, index) => [
    power(`${day}T06:00`, index % 3 > 0),
    event(`${day}T12:00`, { type: 'visitor', total: 10 * index }),
    event(`${day}T13:00`, { type: 'gps', lat: 50 + index / 100, lon: 10 }),
  ])

  async function pruneAll({ archive }: Store): Promise<void> {
    while ((await archive.pruneDay(END)) !== null);
  }

  test(
    'an event whose day is pruned at any step of its landing is refused, or lands and is in the figures: never lost',
    () =>
      atEveryStep(async (step) => {
        const [own, other] = await engine.connect()
        await land(own, visitor('05-01T12:00', 1), visitor('05-09T12:00', 1))
        await rollUp(own)
        const { stores, steps } = stepped(own, step, () => pruneAll(other))
        const bound = takenFrom(await stores.archive.purgedBefore())
        const landing = new Landing(stores.landing, { now: () => NOW, purgedBefore: () => bound })
        const answer = await landing.land({ events: [visitor('05-01T13:00', 5)] }).catch((error) => error.code)
        expect(answer).toEqual(
          [
            { landed: 0, rejected: 1, rejections: [{ index: 0, reason: 'raw-purged' }] },
            'store-busy',
            { landed: 1, rejected: 0, rejections: [] },
          ][step === NEVER ? 2 : step],
        )
        await pruneAll(other)
        expect(await other.archive.purgedBefore()).toBeGreaterThan(step === NEVER ? -1 : 0)
        await rollUp(own)
        expect((await storedDays(own)).get(20240501)?.visitors).toBe(step === NEVER ? 6 : 1)
        return steps()
      }),
    PATIENCE_MS,
  )

  test(
    'a day that is pruned at any step of its compaction is gone whole, and all others are whole',
    () =>
      atEveryStep(async (step) => {
        const [own, other] = await engine.connect()
        await land(own, ...history)
        await rollUp(own)
        await compactDay(own.archive, 0, FIRST_DAY)
        await land(own, visitor('05-01T13:00', 5), visitor('05-02T13:00', 5))
        await rollUp(own)
        const stored = await storedDays(own)
        const lines = (await readEverything(own)).byDay
        const { stores, steps } = stepped(own, step, () => other.archive.pruneDay(END))
        const compacted = await compactDay(stores.archive, 0, FIRST_DAY)
        expect(compacted).toBe(step === NEVER ? 1 : 0)
        if (step === NEVER) await other.archive.pruneDay(END)
        expect(await own.archive.nextDay(0, 0)).toBe(FIRST_DAY + 1)
        expect((await readEverything(own)).byDay).toEqual(lines.filter((line) => JSON.parse(line)[1] > FIRST_DAY))
        expect(await compactDay(own.archive, 0, FIRST_DAY + 1)).toBe(4)
        expect(await storedDays(own)).toEqual(stored)
        return steps()
      }),
    PATIENCE_MS,
  )

  const placed = (date: string, zone: string) => {
    return { at: Date.parse(`2024-${date}T00:00:00Z`), seq: NO_SEQ, lat: 5e8, lon: 1e8, zone, address: null }
  }
  const put = ({ registry }: Store, ...placements: readonly ReturnType<typeof placed>[]) =>
    registry.put('a', { placements }, NOW)

  const dues: [string, Partial<RollupRequest>, (store: Store) => Promise<unknown>][] = [
    ['of late events', {}, (store) => land(store, power('05-18T12:00', false), visitor('05-12T12:00', 5))],
    ['that is asked for by hand', { days: { from: 0, to: END } }, async () => {}],
    ['of a placement', {}, (store) => put(store, placed('01-01', 'UTC'), placed('05-15', 'Asia/Tokyo'))],
  ]

  test.each(dues)(
    'pruning at any step of a rollup %s changes no figure',
    (_, request, change) =>
      atEveryStep(async (step) => {
        const [whole] = await engine.connect()
        const [own, other] = await engine.connect()
        for (const store of [whole, own]) {
          await put(store, placed('01-01', 'UTC'))
          await land(store, ...history)
          await rollUp(store)
          await change(store)
        }
        await rollUp(whole, request)
        const { stores, steps } = stepped(own, step, () => pruneAll(other))
        await rollUpShard(stores, 0, SETTINGS, { now: NOW, ...request })
        expect(await storedDays(own)).toEqual(await storedDays(whole))
        await rollUp(own, { days: { from: 0, to: END } })
        await pruneAll(own)
        expect(await storedDays(own)).toEqual(await storedDays(whole))
        expect(await own.archive.nextDay(0, 0)).toBe(null)
        return steps()
      }),
    PATIENCE_MS,
  )

  /** What the commits of a store answer from now on. */
  function answersOf({ rollups }: Store): boolean[] {
    const commit = rollups.commit.bind(rollups)
    const answers: boolean[] = []
    rollups.commit = async (one) => {
      const answer = await commit(one)
      answers.push(answer)
      return answer
    }
    return answers
  }

  test(
    'of two rollups of a shard, one at any step of the other, exactly one commits, and the other is refused or idle',
    async () => {
      let refused = 0
      await atEveryStep(async (step) => {
        const [own, other] = await engine.connect()
        await land(own, ...history.slice(0, 12))
        const [first, second] = [answersOf(own), answersOf(other)]
        const { stores, steps } = stepped(own, step, () => rollUp(other))
        const passes = (await rollUpShard(stores, 0, SETTINGS, { now: NOW })).passes
        if (step === NEVER) await rollUp(other)
        expect([...first, ...second].filter((answer) => answer)).toEqual([true])
        expect(first.filter((answer) => answer)).toHaveLength(passes)
        refused += first.filter((answer) => !answer).length
        expect(await own.rollups.version(0)).toBe(1)
        expect((await storedDays(own)).size).toBe(4 + 2)
        expect(await own.due.shards()).toEqual([])
        return steps()
      })
      expect(refused).toBeGreaterThan(1)
    },
    PATIENCE_MS,
  )
}
