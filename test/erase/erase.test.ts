import { expect, test } from 'vitest'
import { parseDay } from '../../src/base/time.ts'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import type { EraseRequest } from '../../src/erase/erase-request.ts'
import type { EventType } from '../../src/event/fields.ts'
import { newImport } from '../../src/event/import-note.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { rollUpShard } from '../../src/rollup/roll-up-shard.ts'
import type { Store } from '../../src/store/open-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, land, NOW, power, rollUp, SETTINGS, storedDays, visitor } from '../rollup/shard-fixture.ts'
import { SQLITE } from '../store/sqlite/engine.ts'
import { verified } from '../verify/verify-fixture.ts'

const IMPORT = newImport(['readings.csv'], NOW)
const landImport = (store: Store, ...events: readonly unknown[]) =>
  new Landing(store.landing, { now: () => NOW, purgedBefore: () => 0, import: IMPORT }).land({ events })

const at = (text: string): number => Date.parse(`2024-${text}:00Z`)
const ofDevice = (from: string, to: string, type: EventType | null = null): EraseRequest => ({
  device: 'a',
  fromAt: at(from),
  toAt: at(to),
  type,
})
const erase = (store: Store, request: EraseRequest, dryRun = false) =>
  eraseAll(eraseSteps(store), request, { now: NOW, dryRun })
const fix = (when: string, lat: number): object => event(when, { type: 'gps', lat, lon: 10 })
const ids = async ({ registry }: Store) => (await registry.devices()).map(({ id }) => id)

test('the span is half-open, to the millisecond', async () => {
  const store = temporaryStore()
  const instants = [-1, 0, 1, 2].map((ms) => at('05-10T12:00') + ms)
  await land(store, ...instants.map((instant) => ({ deviceId: 'a', at: instant, type: 'visitor', count: 1 })))
  const request = { device: 'a', fromAt: instants[1], toAt: instants[3], type: null }
  expect(await erase(store, request)).toMatchObject({ erased: 2, byType: { visitor: 2 } })
  expect(await erase(store, request)).toMatchObject({ erased: 0, byType: {}, logEmptied: true })
  expect((await store.landing.counters()).erased).toBe(2)
})

test('days that change are revised without figures, and earlier revisions lose theirs', async () => {
  const store = temporaryStore()
  await land(store, power('05-09T12:00', true), fix('05-10T12:00', 51), visitor('05-10T13:00', 1))
  await land(store, event('05-01T00:00', { type: 'placement', lat: 50, lon: 10 }))
  await rollUp(store)
  await land(store, fix('05-10T14:00', 52), power('05-10T15:00', false))
  await rollUp(store)
  const revisions = async (day: number) => {
    const all = await store.rollups.revisions(0, parseDay(day) as number)
    return all.map(({ causes, old, isErased }) => ({ causes, isKept: old !== null, isErased }))
  }
  expect(await revisions(20240510)).toEqual([{ causes: ['late-events'], isKept: true, isErased: false }])
  await erase(store, ofDevice('05-10T12:00', '05-10T13:00', 'gps'))
  expect(await revisions(20240510)).toEqual([{ causes: ['late-events'], isKept: false, isErased: true }])
  expect((await verified(store, SETTINGS, { now: NOW })).dueDevices).toBe(1)
  await rollUp(store)
  expect(await revisions(20240510)).toEqual([
    { causes: ['late-events'], isKept: false, isErased: true },
    { causes: ['erased'], isKept: false, isErased: true },
  ])
  expect((await storedDays(store)).get(20240510)?.distanceCount).toBe(1)
  expect((await verified(store, SETTINGS, { now: NOW })).differences).toEqual([])
  // A day that only goes on from an erased one loses its figures, too.
  await erase(store, ofDevice('05-10T15:00', '05-10T15:01'))
  await rollUp(store)
  expect((await revisions(20240511)).at(-1)).toEqual({ causes: ['erased'], isKept: false, isErased: true })
})

test('a device of which everything is erased has no days, no state and no position, but stays registered', async () => {
  const store = temporaryStore()
  await land(store, power('05-09T12:00', true), fix('05-10T12:00', 51), fix('05-20T12:00', 51))
  await rollUp(store)
  await erase(store, { device: 'a', fromAt: 0, toAt: NOW, type: null })
  expect(await store.rollups.states([0])).toEqual(new Map())
  await store.registry.put(
    'a',
    { placements: [{ at: 0, seq: -1, lat: 5e8, lon: 1e8, zone: 'Pacific/Auckland', address: null }] },
    NOW,
  )
  await rollUp(store)
  expect(await storedDays(store)).toEqual(new Map())
  expect(await ids(store)).toEqual(['a'])
})

test('a placement is erased only by its type, and the days after it are computed again', async () => {
  const store = temporaryStore()
  await land(store, event('05-01T00:00', { type: 'placement', lat: 50, lon: 10, timezone: 'Pacific/Auckland' }))
  await land(store, visitor('05-10T20:00', 1))
  await rollUp(store)
  const span = ['04-01T00:00', '05-02T00:00'] as const
  expect(await erase(store, ofDevice(...span))).toMatchObject({ erased: 0, placementsLeft: 1 })
  expect([...(await storedDays(store)).keys()]).toEqual([20240511])
  const erased = await erase(store, ofDevice(...span, 'placement'))
  expect(erased).toMatchObject({ erased: 1, byType: { placement: 1 }, placementsLeft: 0 })
  await rollUp(store)
  expect([...(await storedDays(store)).keys()]).toEqual([20240510])
  // As if it had never been: its event may come again.
  await land(store, event('05-01T00:00', { type: 'placement', lat: 50, lon: 10, timezone: 'Pacific/Auckland' }))
  expect((await store.registry.placements([0])).get(0)).toHaveLength(1)
})

test('rejected events go with their device, span and type', async () => {
  const store = temporaryStore()
  const bad = (when: string, fields: object) => event(when, { lat: 91, lon: 1, ...fields })
  const cut = { ...bad('05-10T12:00', { type: 'gps' }), note: 'x'.repeat(70_000) }
  await land(store, bad('05-10T12:00', { type: 'gps' }), cut, bad('05-10T12:00', { type: 'humidity' }))
  await land(store, bad('05-11T12:00', { type: 'gps' }), { ...bad('05-10T12:00', { type: 'gps' }), deviceId: 'b' })
  await land(store, visitor('05-10T12:00', 1))
  const request = ofDevice('05-10T00:00', '05-11T00:00', 'gps')
  expect(await erase(store, request, true)).toMatchObject({ erased: 0, rejects: 2 })
  expect(await erase(store, request)).toMatchObject({ erased: 0, rejects: 2 })
  expect(await erase(store, { ...request, type: null } as EraseRequest)).toMatchObject({ erased: 1, rejects: 1 })
  expect(await store.rejects.page({ limit: 9 })).toHaveLength(2)
})

test('an import is taken back with the devices that only it registered; their ids begin anew', async () => {
  const [store, other] = await SQLITE.connect()
  await land(store, visitor('05-10T12:00', 1))
  await land(other, { ...visitor('05-10T12:00', 1), deviceId: 'other' })
  const of = (deviceId: string): object => ({ ...visitor('05-10T12:00', 2), deviceId })
  const names = ['new', 'late', 'waiting', 'placed', 'put', 'retired', 'lone']
  await landImport(store, visitor('05-10T12:00', 1), ...names.map(of), 7, {
    ...of('place'),
    type: 'placement',
    lat: 1,
    lon: 2,
  })
  const rollUpAll = async () => {
    for (let shard = 0; shard < 16; shard++) await rollUpShard(store, shard, SETTINGS, { now: NOW })
  }
  await land(other, { ...of('late'), at: '2024-05-11T00:00:00Z' })
  await rollUpAll()
  await land(other, of('waiting'), { ...of('placed'), type: 'placement', lat: 1, lon: 2 })
  await other.registry.put('put', {}, NOW)
  await other.registry.put('retired', { retiredAt: NOW }, NOW)
  const expected = { erased: 9, byType: { visitor: 8, placement: 1 }, rejects: 1, placements: 1, devices: 3 }
  expect(await erase(store, { import: IMPORT.id }, true)).toMatchObject(expected)
  expect(await erase(store, { import: IMPORT.id })).toMatchObject(expected)
  const left = ['a', 'late', 'other', 'placed', 'put', 'retired', 'waiting']
  expect(await ids(store)).toEqual(left)
  expect(await store.registry.count()).toBe(left.length)
  for (const gone of ['new', 'lone', 'place']) expect(await store.registry.device(gone)).toBe(null)
  // What another process knows of the old number is not used any more.
  await land(other, of('lone'), of('new'))
  expect((await store.registry.device('lone'))?.number).toBe(10)
  await rollUpAll()
  expect((await verified(store, SETTINGS, { now: NOW })).differences).toEqual([])
  const [{ number }] = (await store.registry.devices()).filter(({ id }) => id === 'lone')
  expect((await store.rollups.states([number])).get(number)?.lastHeardAt).toBe(at('05-10T12:00'))
  expect((await storedDays(store)).get(20240510)?.visitors).toBe(1)
  expect(await erase(store, { import: IMPORT.id })).toMatchObject({ erased: 0, rejects: 0, devices: 0 })
})

test('an unknown device or import is said, with the imports that there are', async () => {
  const store = temporaryStore()
  await expect(erase(store, { device: 'b', fromAt: 0, toAt: 1, type: null })).rejects.toThrow('no such device: "b"')
  await expect(erase(store, { import: 'b' })).rejects.toThrow('no such import: "b"; nothing has been imported')
  await landImport(store, visitor('05-10T12:00', 1))
  await expect(erase(store, { import: 'b' })).rejects.toThrow(`the latest are ${IMPORT.id} (readings.csv)`)
})

test('days whose raw events have been deleted are named, and nothing is erased of them', async () => {
  const store = temporaryStore()
  await landImport(store, ...['05-01', '05-02', '05-09'].map((day) => visitor(`${day}T12:00`, 1)))
  await rollUp(store)
  for (let day = 0; day < 2; day++) await store.archive.pruneDay(parseDay(20240503) as number)
  const stored = await storedDays(store)
  const refused = erase(store, { device: 'a', fromAt: 0, toAt: NOW, type: null })
  await expect(refused).rejects.toMatchObject({ code: 'raw-purged' })
  await expect(refused).rejects.toThrow(/day 20240501 to 20240502 .*erase from 2024-05-03T00:00:00.000Z on/)
  await expect(erase(store, ofDevice('05-02T23:59', '05-10T00:00'))).rejects.toThrow(/day 20240502 have/)
  expect(await storedDays(store)).toEqual(stored)
  const taken = await erase(store, { import: IMPORT.id })
  expect(taken).toMatchObject({ erased: 1, purgedDays: { from: 20240501, to: 20240502 }, devices: 0 })
  await rollUp(store)
  expect([...(await storedDays(store)).keys()]).toEqual([20240501, 20240502])
  expect((await store.rollups.states([0])).get(0)?.lastHeardAt).toBe(at('05-02T12:00'))
  expect(await erase(store, ofDevice('05-03T00:00', '05-31T00:00'))).toMatchObject({ erased: 0 })
})
