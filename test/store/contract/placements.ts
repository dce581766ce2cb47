import { describe, expect, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { Kind, NO_SEQ } from '../../../src/event/event-columns.ts'
import type { Placement } from '../../../src/event/placement.ts'
import { END_OF_TIME } from '../../../src/store/due.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { landPlacements, placementAt } from '../landing-fixture.ts'
import type { Engine } from '../test-store.ts'

/** Placements are kept once, in order, and make due what depends on them. */
export function placementsContract(engine: Engine): void {
  const { open } = engine
  const NOW = Date.parse('2024-05-11T00:00:00Z')

  function register(store: Store, id: string): Promise<void> {
    const batch = new EventBatch()
    batch.add(id, NOW, NO_SEQ, Kind.visitorCount, 1, 0)
    return store.landing.land(batch, NOW)
  }

  async function placementsOf(store: Store, id: string): Promise<Placement[]> {
    const device = await store.registry.device(id)
    const number = device?.number ?? -1
    const ofShard = await store.registry.placementsOfShard(number % store.archive.shards)
    const placements = (await store.registry.placements([number])).get(number) ?? []
    expect(ofShard.get(number) ?? []).toEqual(placements)
    return placements
  }

  const dueOf = async (store: Store): Promise<[number, number, number][]> =>
    (await store.due.devices(0)).map(({ device, fromAt, toAt }) => [device, fromAt, toAt])

  describe('placements', () => {
    test('are kept once however often their event lands, in their order', async () => {
      const store = await open()
      const [late, early, second] = [placementAt(9), placementAt(5), placementAt(5, { seq: 0 })]
      await landPlacements(store, 'a', late, second, early, late)
      await landPlacements(store, 'a', early, late)
      expect(await placementsOf(store, 'a')).toEqual([early, second, late])
    })

    test('keep the greatest address of their repeats, in whatever order these come', async () => {
      for (const order of [
        [null, 'a', 'b'],
        ['b', null, 'a'],
        ['a', 'b', null],
        ['b', 'a', ''],
        ['', null, 'b'],
      ]) {
        const store = await open()
        await landPlacements(store, 'x', placementAt(5, { address: order[0] }))
        await landPlacements(store, 'x', ...order.map((address) => placementAt(5, { address })))
        expect(await placementsOf(store, 'x')).toEqual([placementAt(5, { address: 'b' })])
      }
    })

    // By UTF-16 unit: by code point the ice cube would be the greater one.
    test('take for the greatest address the one that a fix would take', async () => {
      const store = await open()
      await landPlacements(store, 'x', ...['\u{1F9CA}', '\uFF5E'].map((address) => placementAt(5, { address })))
      expect(await placementsOf(store, 'x')).toEqual([placementAt(5, { address: '\uFF5E' })])
    })

    // UTF-8 has no lone surrogates.
    test('keep an address with a lone surrogate as it came', async () => {
      const store = await open()
      await landPlacements(store, 'x', placementAt(5, { address: 'a\uD83E' }))
      expect(await placementsOf(store, 'x')).toEqual([placementAt(5, { address: 'a\uD83E' })])
    })

    test('make nothing due of a device that they register', async () => {
      const store = await open()
      await landPlacements(store, 'a', placementAt(5), placementAt(9))
      expect(await dueOf(store)).toEqual([])
    })

    test('make the days of a known device due from the one that they may end on, the first one all days', async () => {
      const store = await open()
      await register(store, 'a')
      await landPlacements(store, 'a', placementAt(500))
      expect(await dueOf(store)).toEqual([[0, 0, END_OF_TIME]])
      await landPlacements(store, 'a', placementAt(900), placementAt(500))
      expect((await dueOf(store)).slice(1)).toEqual([[0, 899, END_OF_TIME]])
      await landPlacements(store, 'a', placementAt(900, { address: 'Kiosk' }))
      expect(await dueOf(store)).toHaveLength(2)
    })

    test('that a list replaces stay removed when their events are delivered again, until a list names them', async () => {
      const store = await open()
      const [old, kept, added] = [placementAt(5), placementAt(7, { zone: 'Europe/Berlin' }), placementAt(9)]
      await landPlacements(store, 'a', old, kept)
      await store.registry.put('a', { placements: [kept, added] }, NOW)
      expect(await placementsOf(store, 'a')).toEqual([kept, added])
      const due = await dueOf(store)
      expect(due).toEqual([[0, 0, END_OF_TIME]])
      await landPlacements(store, 'a', old, { ...old, address: 'Kiosk' }, kept)
      expect(await placementsOf(store, 'a')).toEqual([kept, added])
      expect(await dueOf(store)).toEqual(due)
      await store.registry.put('a', { placements: [old] }, NOW)
      expect(await placementsOf(store, 'a')).toEqual([old])
    })

    test('that a list leaves as they are make nothing due, whatever becomes of their address', async () => {
      const store = await open()
      await landPlacements(store, 'a', placementAt(5), placementAt(7))
      await store.registry.put('a', { placements: [placementAt(7, { address: 'Kiosk' }), placementAt(5)] }, NOW)
      expect(await placementsOf(store, 'a')).toEqual([placementAt(5), placementAt(7, { address: 'Kiosk' })])
      expect(await dueOf(store)).toEqual([])
      await store.registry.put('a', { placements: [placementAt(5), placementAt(8)] }, NOW)
      expect(await dueOf(store)).toEqual([[0, 6, END_OF_TIME]])
    })

    // More than are read by one statement, with addresses that are none, empty, no ASCII, no Unicode, or end in zero.
    test('are the same whether they are read one by one, by shard or all at once', async () => {
      const store = await open()
      const addresses = [null, '', 'Kiosk', 'K\xfchlhaus', '\uD83E', '\u{1F9CA}', 'a\0', '"\\\n']
      const batch = new EventBatch()
      for (let number = 0; number < 20_500; number++) {
        const device = batch.deviceIndex(`cooler-${number}`)
        const address = addresses[number % addresses.length]
        batch.placements.push({ ...placementAt(number, { address, zone: 'Europe/Berlin' }), device })
        if (number % 3 === 0) batch.placements.push({ ...placementAt(number - 1), device })
      }
      await store.landing.land(batch, NOW)
      const numbers = Array.from({ length: 20_500 }, (_, number) => number)
      const one = await store.registry.placements(numbers)
      expect(one.get(20_499)?.map(({ at }) => at)).toEqual([20_498, 20_499])
      expect(await store.registry.allPlacements()).toEqual(one)
      const ofShards = new Map<number, Placement[]>()
      for (let shard = 0; shard < store.archive.shards; shard++)
        for (const [device, own] of await store.registry.placementsOfShard(shard)) ofShards.set(device, own)
      expect(ofShards).toEqual(one)
      expect((await store.registry.devices()).map(({ number }) => number).sort((a, b) => a - b)).toEqual(numbers)
    })
  })
}
