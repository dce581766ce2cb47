import { expect, test } from 'vitest'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { DamagedDevices } from '../../src/rollup/damaged-devices.ts'
import { DuePlan, type PlanRequest } from '../../src/rollup/due-plan.ts'
import { RollupMemory } from '../../src/rollup/rollup-memory.ts'
import type { Store } from '../../src/store/open-store.ts'
import { emptyCommit } from '../../src/store/rollup-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, land, NOW, rollUp, visitor } from './shard-fixture.ts'

const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)

/** What one pass over the first shard would compute, by device: from when to when, and why. */
async function planOf(store: Store, request: Partial<PlanRequest> = {}) {
  const commit = emptyCommit(0, await store.rollups.version(0), NOW)
  const parts = { damaged: new DamagedDevices(), memory: new RollupMemory() }
  const asked = { now: NOW, isAhead: false, windowFrom: -Infinity, ...parts, ...request }
  const plan = await DuePlan.make(store, commit, asked)
  const due = [...(plan?.due ?? [])].map(([device, { spans, moved, causes }]) => ({
    device,
    spans: spans.map(({ from, to }) => [new Date(from).toISOString(), new Date(to).toISOString()]),
    moved,
    causes: [...causes],
  }))
  return { plan, commit, due }
}

test('of an empty store, and of one that is rolled up, nothing is due', async () => {
  const store = temporaryStore()
  expect((await planOf(store)).plan).toBe(null)
  await land(store, visitor('05-10T12:00', 1))
  await rollUp(store)
  expect((await planOf(store)).plan).toBe(null)
})

test('events are due from the first to the last of a device, and their segments are done with the pass', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 1), visitor('05-10T09:00', 1), visitor('05-11T08:00', 1))
  const { due, commit } = await planOf(store)
  expect(due).toMatchObject([{ device: 0, moved: false, causes: ['late-events'] }])
  const [first, last] = [due[0].spans.flat().toSorted()[0], due[0].spans.flat().toSorted().at(-1)]
  expect([first, last]).toEqual(['2024-05-10T09:00:00.000Z', '2024-05-11T08:00:00.000Z'])
  expect([...commit.doneSegments]).toEqual((await store.due.segments(0)).map(({ id }) => id))
})

test('what is more than ten days behind the earliest waits for a later pass', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-01T12:00', 1), visitor('05-10T12:00', 1), visitor('05-20T12:00', 1))
  const { plan, commit, due } = await planOf(store)
  expect(plan?.windowEnd).toBe(at('05-11T00:00'))
  expect(due[0].spans.flat().every((instant) => instant < '2024-05-11')).toBe(true)
  expect(commit.doneSegments).toHaveLength(2)
})

test('a placement makes all days from it on due, but none of before the device was heard', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 1))
  await rollUp(store)
  const placements = [{ at: at('04-01T00:00'), seq: NO_SEQ, lat: 0, lon: 0, zone: 'Asia/Tokyo', address: null }]
  await store.registry.put('a', { placements }, NOW)
  const { due, commit } = await planOf(store)
  expect(due).toEqual([
    {
      device: 0,
      spans: [['2024-05-10T12:00:00.000Z', '2024-05-10T12:00:00.000Z']],
      moved: true,
      causes: ['placement'],
    },
  ])
  expect([...commit.doneDevices]).toEqual((await store.due.devices(0)).map(({ id }) => id))
})

test('of raw events that are deleted no day is planned again', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 1), visitor('05-20T12:00', 1))
  await rollUp(store)
  await store.archive.pruneDay(100_000)
  const days = { from: at('05-10T00:00') / 86_400_000, to: at('05-20T00:00') / 86_400_000 }
  const { due } = await planOf(store, { days })
  expect(due).toMatchObject([{ spans: [['2024-05-20T00:00:00.000Z', '2024-05-20T00:00:00.000Z']], causes: ['manual'] }])
})

test('what cannot be computed stays due: its own entries, and its events as a new one', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T12:00', 1), { ...event('05-10T13:00', { type: 'visitor', count: 1 }) })
  const { plan } = await planOf(store)
  const left = plan?.leave(new Set([0]))
  expect(left?.due.map(({ device, causes }) => ({ device, causes }))).toContainEqual({
    device: 0,
    causes: ['late-events'],
  })
  expect(plan?.leave(new Set([16]))).toEqual({ entries: new Set(), due: [] })
})
