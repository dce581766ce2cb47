import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventBatch } from '../../../src/event/event-batch.ts'
import { Kind, NO_SEQ } from '../../../src/event/event-columns.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { landPlacements, placementAt } from '../landing-fixture.ts'
import type { Engine } from '../test-store.ts'

/** Every id is a device, and every device has one number. */
export function registryContract(engine: Engine): void {
  const { open } = engine
  const NOW = Date.parse('2024-05-11T00:00:00Z')
  const UTC_DAY = 19_854

  /** One event of each device, whose value is `values[i]`; what `spoil` adds cannot be stored. */
  function landOne(store: Store, ids: readonly string[], values: readonly number[], spoil = false): Promise<void> {
    const batch = new EventBatch()
    for (const [index, id] of ids.entries()) batch.add(id, NOW, NO_SEQ, Kind.visitorCount, values[index], 0)
    if (spoil) batch.rejects.push({ reason: 'bad-at', raw: '', rawBytes: 0.5, deviceId: null, at: null })
    return store.landing.land(batch, NOW)
  }

  const register = (store: Store, ...ids: readonly string[]): Promise<void> => landOne(store, ids, ids.map(Number))

  const ODD_IDS = [
    '\0',
    'a\0',
    'a',
    'A',
    ' a',
    '__proto__',
    'constructor',
    '007',
    '7',
    'é',
    'e\u0301',
    '\uD83E',
    '\uDDCA',
  ]
  const MORE_ODD_IDS = ['\u{1F9CA}', '\uDDCA\uD83E', '\uFF5E', '\uFFFD', '\uFFFF', '\uD7FF', '\uE000', 'x'.repeat(256)]

  describe('ids', () => {
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 4 })
    const id = fc.oneof(
      fc.constantFrom(...ODD_IDS, ...MORE_ODD_IDS),
      units.map((all) => String.fromCharCode(...all)),
    )

    test('that differ in any UTF-16 unit are different devices, in the order of their units', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(id, { minLength: 1, maxLength: 60, size: 'max' }), async (ids) => {
          const store = await open()
          await register(store, ...ids)
          const ordered = [...ids].sort((one, other) => (one < other ? -1 : 1))
          expect((await store.registry.devices()).map((device) => device.id)).toEqual(ordered)
          for (const [number, name] of ids.entries()) {
            expect(await store.registry.device(name)).toEqual({
              ...{ number, id: name, registeredAt: NOW, retiredAt: null, labels: {} },
            })
          }
          const page = await store.registry.devicesAfter(ordered[0], 2)
          expect(page.map((device) => device.id)).toEqual(ordered.slice(1, 3))
          await store.close()
        }),
        { numRuns: 40 },
      )
    })

    test('are listed in pages from the first one on', async () => {
      const store = await open()
      await register(store, 'b', 'a', 'c')
      expect((await store.registry.devicesAfter(null, 2)).map((device) => device.id)).toEqual(['a', 'b'])
      expect(await store.registry.devicesAfter('c', 2)).toEqual([])
      expect(await store.registry.device('d')).toBe(null)
    })
  })

  describe('numbers', () => {
    /** Of which connection, which ids, and whether the landing fails. */
    const landing = fc.record({
      connection: fc.constantFrom(0, 1),
      ids: fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1, maxLength: 4 }),
      fails: fc.constantFrom(false, false, true),
    })

    test('never meet, nor leave a hole, where two connections register in turn and some landings fail', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(landing, { maxLength: 12, size: 'max' }), async (landings) => {
          const stores = await engine.connect()
          const known: string[] = []
          for (const { connection, ids, fails } of landings) {
            const values = ids.map((id) => id.charCodeAt(0))
            const landed = landOne(stores[connection], ids, values, fails)
            if (fails) await expect(landed).rejects.toThrow()
            else await landed
            if (!fails) known.push(...ids.filter((id) => !known.includes(id)))
          }
          for (const { registry, archive } of stores) {
            const devices = await registry.devices()
            expect(devices.sort((one, other) => one.number - other.number).map(({ id }) => id)).toEqual(known)
            for (let shard = 0; shard < archive.shards; shard++) {
              for (const { device, a } of await archive.eventsOfDay(shard, UTC_DAY))
                for (const [row, number] of device.entries()) expect(known[number].charCodeAt(0)).toBe(a[row])
            }
          }
        }),
        { numRuns: 25 },
      )
    })

    // Were the number of the ghost still noted, its events would land as those of the real one.
    test('of two devices differ after a put that failed', async () => {
      const store = await open()
      const broken = placementAt(NOW, { lat: 0.5 })
      await expect(store.registry.put('ghost', { placements: [broken] }, NOW)).rejects.toThrow()
      await landOne(store, ['real'], [1])
      await landOne(store, ['ghost'], [2])
      expect((await store.registry.devices()).map(({ id }) => id)).toEqual(['ghost', 'real'])
    })
  })

  test('a put registers a device, retires it and takes it back, and leaves the rest as it is', async () => {
    const { registry } = await open()
    const device = { number: 0, id: 'a', registeredAt: NOW, retiredAt: null, labels: {} }
    expect(await registry.put('a', { placements: [placementAt(5)] }, NOW)).toEqual(device)
    expect(await registry.put('a', { retiredAt: NOW + 5 }, NOW + 1)).toEqual({ ...device, retiredAt: NOW + 5 })
    expect(await registry.put('a', {}, NOW + 2)).toEqual({ ...device, retiredAt: NOW + 5 })
    expect(await registry.put('a', { retiredAt: null }, NOW + 3)).toEqual(device)
    expect((await registry.placements([0])).get(0)).toEqual([placementAt(5)])
  })

  test('a put replaces all labels of a device, whatever their text, and of no other', async () => {
    const store = await open()
    const { registry } = store
    await register(store, 'b')
    const labels = { constructor: 'K\u00fchl "GmbH" \\ \u{1F9CA}', route: "12'; --", x_1: '\uFFFF' }
    expect((await registry.put('a', { labels }, NOW)).labels).toEqual(labels)
    await registry.put('a', { retiredAt: null, placements: [] }, NOW)
    const read = async () => [
      (await registry.devices()).map((device) => device.labels),
      (await registry.devicesAfter(null, 9)).map((device) => device.labels),
      (await registry.devicesOf(['a', 'b'])).map((device) => device.labels),
    ]
    expect(await read()).toEqual(Array(3).fill([labels, {}]))
    await registry.put('a', { labels: { route: '13' } }, NOW)
    expect(await read()).toEqual(Array(3).fill([{ route: '13' }, {}]))
    await registry.put('a', { labels: {} }, NOW)
    expect(await read()).toEqual(Array(3).fill([{}, {}]))
  })

  test('labelled devices are found, under a version that only labels change', async () => {
    const { registry } = await open()
    const versions = [await registry.labelsVersion()]
    for (const change of [{ retiredAt: NOW }, { labels: { route: '7' } }, { placements: [placementAt(5)] }, {}]) {
      await registry.put('a', change, NOW)
      versions.push(await registry.labelsVersion())
    }
    await registry.put('b', {}, NOW)
    expect(versions).toEqual([0, 0, 1, 1, 1])
    expect(await registry.labelled()).toEqual([{ id: 'a', labels: { route: '7' } }])
    await registry.put('a', { labels: {} }, NOW)
    expect([await registry.labelled(), await registry.labelsVersion()]).toEqual([[], 2])
  })

  test('the version grows with each change of a device or a placement, and with nothing else', async () => {
    const store = await open()
    const versions = [await store.registry.version()]
    const steps = [
      () => register(store, 'a'),
      () => register(store, 'a'),
      () => landPlacements(store, 'a', placementAt(5)),
      () => landPlacements(store, 'a', placementAt(5)),
      () => landPlacements(store, 'a', placementAt(5, { address: 'Kiosk' })),
      () => store.registry.put('a', { retiredAt: NOW }, NOW),
      () => store.registry.put('a', { labels: { route: '7' } }, NOW),
    ]
    for (const step of steps) {
      await step()
      versions.push(await store.registry.version())
    }
    expect(versions).toEqual([0, 1, 1, 2, 2, 3, 4, 5])
  })
}
