import { describe, expect, test } from 'vitest'
import { eraseAll, eraseSteps } from '../../../src/erase/erase.ts'
import type { EraseRequest, EraseStores } from '../../../src/erase/erase-request.ts'
import { newImport } from '../../../src/event/import-note.ts'
import { Landing } from '../../../src/ingest/landing.ts'
import { rollUpShard } from '../../../src/rollup/roll-up-shard.ts'
import type { RollupRoles } from '../../../src/rollup/rollup-request.ts'
import { decodeBlock } from '../../../src/store/codec/block-codec.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { compactDay } from '../../../src/upkeep/compact-day.ts'
import { event, land, NOW, power, SETTINGS, visitor } from '../../rollup/shard-fixture.ts'
import { verified } from '../../verify/verify-fixture.ts'
import type { Engine } from '../test-store.ts'
import { nextStep, type Stepped, stepped } from './stepped.ts'

/** Whatever happens at any step of an erasure, and an erasure at any step of it, leaves what one after the other leaves. */
export function eraseRaces(engine: Engine): void {
  const PATIENCE_MS = 120_000
  const NEVER = -1
  const UTC_DAY = Date.parse('2024-05-10T00:00:00Z') / 86_400_000
  const IMPORT = newImport(['a.csv'], NOW)

  type Change = (store: Store) => Promise<unknown>

  const rollUpFirst = (stores: RollupRoles) => rollUpShard(stores, 0, SETTINGS, { now: NOW, refresh: true })
  const compactAll = async ({ archive }: Pick<Store, 'archive'>): Promise<void> => {
    for (const { shard, utcDay } of await archive.daysToCompact(100_000)) await compactDay(archive, shard, utcDay)
  }
  const landImport = (store: Store, ...events: readonly object[]) =>
    new Landing(store.landing, { now: () => NOW, purgedBefore: () => 0, import: IMPORT }).land({ events })

  const fix = (at: string, lat: number): object => event(at, { type: 'gps', lat, lon: 10 })
  /** Of a device of the same shard and compacted group. */
  const neighbour = (own: object): object => ({ ...own, deviceId: 'b15' })

  const kept = [
    ...['08', '13'].flatMap((day) => [power(`05-${day}T06:00`, true), visitor(`05-${day}T12:00`, 1)]),
    fix('05-13T13:00', 52),
    // So many that the last one is of the first one's shard.
    ...Array.from({ length: 16 }, (_, number) => ({ ...visitor('05-10T12:00', 1), deviceId: `b${number}` })),
  ]
  const gone = ['09', '10'].flatMap((day) => [
    power(`05-${day}T20:00`, day === '10'),
    visitor(`05-${day}T21:00`, 2),
    fix(`05-${day}T22:00`, 51),
  ])

  const BY_DEVICE: EraseRequest = {
    device: 'a',
    fromAt: Date.parse('2024-05-09T00:00:00Z'),
    toAt: Date.parse('2024-05-12T00:00:00Z'),
    type: null,
  }
  /** Without its last step, which waits for those who read. */
  const erase = (stores: EraseStores, request: EraseRequest) =>
    eraseAll({ ...eraseSteps(stores), overwrite: async () => true }, request, { now: NOW })

  /** All rollups, what is current of the devices, how many events there are, and what is still due. */
  async function outcomeOf(store: Store): Promise<unknown> {
    const { due, registry, rollups } = store
    await rollUpFirst(store)
    const rows = []
    for (const { block, day, body } of await rollups.blocksOfShard(0, 0, 100_000))
      rows.push({
        block,
        day,
        rollups: decodeBlock(body, [0, block, day]).map((rollup) => rollup && { ...rollup, repeats: 0 }),
      })
    const numbers = (await registry.devices()).map(({ number }) => number)
    expect((await verified(store, SETTINGS, { now: NOW })).differences).toEqual([])
    return { rows, states: await rollups.states(numbers), due: (await due.segments(0)).length }
  }

  /** Part of the days is compacted, part of the events is still due. */
  async function prepare(store: Store, request: EraseRequest): Promise<void> {
    const own = 'import' in request ? landImport : land
    await land(store, ...kept)
    await own(store, ...gone.slice(0, 3))
    await rollUpFirst(store)
    await compactAll(store)
    await own(store, ...gone.slice(3, 4))
    await rollUpFirst(store)
    await own(store, ...gone.slice(4))
  }

  const CHANGES: Record<string, Change> = {
    'an event of a neighbour, and a rollup': async (store) => {
      await land(store, neighbour(visitor('05-10T18:00', 5)))
      await rollUpFirst(store)
    },
    'a compaction': (store) => compactAll(store),
    'a placement, and an earlier fix': (store) =>
      land(store, fix('05-08T18:00', 53), event('05-10T10:00', { type: 'placement', lat: 50, lon: 10 })),
  }

  const REQUESTS: [string, EraseRequest][] = [
    ['of a device', BY_DEVICE],
    ['of an import', { import: IMPORT.id }],
  ]

  describe.each(REQUESTS)('an erasure %s', (_, request) => {
    /** Takes a whole erasure, or a rollup, and lets another one happen at each of its steps. */
    async function expectSame(change: Change, work: (stores: Stepped['stores']) => Promise<unknown>): Promise<void> {
      const [never] = await engine.connect()
      await land(never, ...kept)
      if (Object.values(CHANGES).includes(change)) await change(never)
      const expected = await outcomeOf(never)
      let steps = 1
      for (let at = NEVER; at < steps; at = nextStep(at)) {
        const [own, other] = await engine.connect()
        await prepare(own, request)
        const { stores, steps: taken } = stepped(own, at, () => change(other))
        await work(stores)
        if (at === NEVER || taken() <= at) await change(other)
        steps = Math.max(steps, taken())
        expect(await outcomeOf(own), `changed at step ${at}`).toEqual(expected)
      }
      expect(steps).toBeGreaterThan(2)
    }

    test.each(Object.entries(CHANGES))(
      'during which %s commits at any step leaves what there would be without these events',
      (_name, change) => expectSame(change, (stores) => erase(stores, request)),
      PATIENCE_MS,
    )

    test(
      'during which the same is erased at any step',
      () =>
        expectSame(
          (store) => erase(store, request),
          (stores) => erase(stores, request),
        ),
      PATIENCE_MS,
    )

    test.each<[string, (stores: Stepped['stores']) => Promise<unknown>]>([
      ['a rollup', rollUpFirst],
      ['a compaction', (stores) => compactDay(stores.archive, 0, UTC_DAY)],
    ])(
      'that commits at any step of %s leaves nothing of these events',
      (_name, work) => expectSame((store) => erase(store, request), work),
      PATIENCE_MS,
    )

    test(
      'that is cut short after any step is completed by another one',
      async () => {
        const [never] = await engine.connect()
        await land(never, ...kept)
        const expected = await outcomeOf(never)
        const killed = new Error('killed')
        for (let at = 0, isWhole = false; !isWhole; at++) {
          const [own] = await engine.connect()
          await prepare(own, request)
          const { stores } = stepped(own, at, () => Promise.reject(killed))
          isWhole = await erase(stores, request).then(
            () => true,
            (error) => {
              expect(error).toBe(killed)
              return false
            },
          )
          if (at % 2 === 0) await rollUpFirst(own)
          await erase(own, request)
          expect(await outcomeOf(own), `cut short at step ${at}`).toEqual(expected)
        }
      },
      PATIENCE_MS,
    )
  })
}
