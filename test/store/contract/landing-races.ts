import { describe, expect, test } from 'vitest'
import { NO_SEQ } from '../../../src/event/event-columns.ts'
import { rollUpShard } from '../../../src/rollup/roll-up-shard.ts'
import type { RollupRoles } from '../../../src/rollup/rollup-request.ts'
import { decodeBlock } from '../../../src/store/codec/block-codec.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { compactDay } from '../../../src/upkeep/compact-day.ts'
import { event, land, NOW, power, SETTINGS, visitor } from '../../rollup/shard-fixture.ts'
import type { Engine } from '../test-store.ts'
import { nextStep, type Stepped, stepped } from './stepped.ts'

/** Whatever lands or is put at any step of a rollup or a compaction, the outcome is that of one after the other. */
export function landingRaces(engine: Engine): void {
  const UTC_DAY = Date.parse('2024-05-10T00:00:00Z') / 86_400_000

  async function rollUpAll(stores: RollupRoles): Promise<void> {
    for (let shard = 0; shard < stores.archive.shards; shard++)
      await rollUpShard(stores, shard, SETTINGS, { now: NOW, refresh: true })
  }

  /** All rollups, what is current of the devices, and what is still due. */
  async function outcomeOf({ due, archive, registry, rollups }: Store): Promise<unknown> {
    const rows = []
    for (let shard = 0; shard < archive.shards; shard++) {
      for (const { block, day, body } of await rollups.blocksOfShard(shard, 0, 100_000))
        rows.push({
          shard,
          block,
          day,
          rollups: decodeBlock(body, [shard, block, day]).filter((rollup) => rollup !== null),
        })
    }
    const numbers = (await registry.devices()).map(({ number }) => number)
    return { rows, states: await rollups.states(numbers), due: await due.counts(NOW) }
  }

  const fix = (at: string, lat: number): object => event(at, { type: 'gps', lat, lon: 10 })
  const placement = (at: string, timezone: string): object =>
    event(at, { type: 'placement', lat: 50, lon: 10, timezone })

  const DAYS = ['09', '10', '11', '12']
  const before = [
    ...DAYS.flatMap((day) => [
      power(`05-${day}T06:00`, true),
      visitor(`05-${day}T12:00`, 1),
      fix(`05-${day}T13:00`, 51),
    ]),
    // So many that the next new device is of the first one's shard.
    ...Array.from({ length: 15 }, (_, number) => ({ ...visitor('05-10T12:00', 1), deviceId: `b${number}` })),
  ]
  /** Over more than the days of one pass. */
  const long = ['05-01', '05-10', '05-20', '05-29'].flatMap((day) => [
    power(`${day}T06:00`, true),
    visitor(`${day}T12:00`, 1),
  ])

  const put = (store: Store, timezone: string) =>
    store.registry.put(
      'a',
      {
        placements: [
          { at: Date.parse('2024-05-10T12:00:00Z'), seq: NO_SEQ, lat: 5e8, lon: 1e8, zone: timezone, address: null },
        ],
      },
      NOW,
    )

  const changes: Record<string, (store: Store) => Promise<unknown>> = {
    'an event of the same device and day': (store) => land(store, visitor('05-12T18:00', 5)),
    'a late event': (store) => land(store, power('05-09T20:00', false)),
    'a repeat': (store) => land(store, visitor('05-10T12:00', 1)),
    'an event of a new device': (store) => land(store, { ...visitor('05-10T18:00', 5), deviceId: 'new' }),
    'an event of a day after all others': (store) => land(store, visitor('05-30T18:00', 5)),
    'an event long before all others': (store) => land(store, visitor('04-01T18:00', 5)),
    'a placement that moves the days': (store) => land(store, placement('05-10T10:00', 'Pacific/Auckland')),
    'a change of the registry': (store) => put(store, 'America/New_York'),
    'an earlier fix, which stands in for a placement': (store) => land(store, fix('05-08T12:00', 52)),
  }

  /** One shard is rolled up step by step; all of them before the figures are compared. */
  const rollUpFirst = (stores: RollupRoles) => rollUpShard(stores, 0, SETTINGS, { now: NOW, refresh: true })

  async function expectSameAtEveryStep(
    events: readonly object[],
    change: (store: Store) => Promise<unknown>,
    {
      prepare,
      run = rollUpFirst,
    }: { prepare?: (store: Store) => Promise<unknown>; run?: (stores: Stepped['stores']) => Promise<unknown> } = {},
  ): Promise<void> {
    const [whole] = await engine.connect()
    await land(whole, ...events)
    await prepare?.(whole)
    await change(whole)
    await rollUpAll(whole)
    const expected = await outcomeOf(whole)
    const NEVER = -1
    let steps = 1
    for (let at = NEVER; at < steps; at = nextStep(at)) {
      const [own, other] = await engine.connect()
      await land(own, ...events)
      await prepare?.(own)
      const { stores, steps: taken } = stepped(own, at, () => change(other))
      await run(stores)
      // Where the steps ended before that one, the change follows them.
      if (at === NEVER || taken() <= at) await change(other)
      steps = Math.max(steps, taken())
      await rollUpAll(own)
      expect(await outcomeOf(own), `changed at step ${at}`).toEqual(expected)
    }
    expect(steps).toBeGreaterThan(2)
  }

  /** One connection, one file and some rollups for each step: patience for a busy machine. */
  const PATIENCE_MS = 120_000

  describe.each(Object.entries(changes))('%s', (_, change) => {
    test(
      'that commits at any step of a rollup is in the figures of the next one, as if it had been there before',
      () => expectSameAtEveryStep(before, change),
      PATIENCE_MS,
    )
  })

  test(
    'what commits at any step of a rollup in several passes is not missed',
    async () => {
      for (const change of [changes['a late event'], changes['a placement that moves the days']])
        await expectSameAtEveryStep(long, change as (store: Store) => Promise<unknown>)
    },
    PATIENCE_MS,
  )

  test(
    'another rollup that runs at any step of one does no harm',
    () => expectSameAtEveryStep(before, (store) => rollUpAll(store)),
    PATIENCE_MS,
  )

  describe('a compaction', () => {
    const compactAll = async ({ archive }: Pick<Store, 'archive'>): Promise<void> => {
      for (const { shard, utcDay } of await archive.daysToCompact(100_000)) await compactDay(archive, shard, utcDay)
    }
    const compactOne = ({ archive }: Pick<Store, 'archive'>) => compactDay(archive, 0, UTC_DAY)

    /** Compacted days, with events that landed and were rolled up since beside them. */
    const prepare = async (store: Store): Promise<void> => {
      await rollUpAll(store)
      await compactAll(store)
      await land(store, visitor('05-10T19:00', 2), visitor('05-10T12:00', 1))
      await rollUpAll(store)
    }

    test(
      'that runs at any step of a rollup changes nothing',
      () =>
        expectSameAtEveryStep(before, compactAll, {
          prepare: async (store) => {
            await prepare(store)
            await land(store, visitor('05-10T20:00', 5))
          },
        }),
      PATIENCE_MS,
    )

    test.each([
      ...['an event of the same device and day', 'a late event', 'a repeat'].map(
        (name) => [name, changes[name] as (store: Store) => Promise<unknown>] as const,
      ),
      ['a rollup', rollUpAll] as const,
      ['another compaction', compactAll] as const,
    ])(
      'at any step of which %s commits loses nothing',
      (_, change) => expectSameAtEveryStep(before, change, { prepare, run: compactOne }),
      PATIENCE_MS,
    )
  })
}
