import { describe, expect, test } from 'vitest'
import type { RollupRequest, RollupResult } from '../../src/rollup/rollup-request.ts'
import type { Store } from '../../src/store/open-store.ts'
import type { RollupCommit } from '../../src/store/rollup-store.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import {
  event,
  figuresOf,
  land,
  NOW,
  onHours,
  power,
  rollUp,
  storedDays,
  visitor,
  watchCommits,
} from './shard-fixture.ts'

/** Lets `between` run after the first rollup has read the store and before it commits; gives what commits answered. */
function beforeFirstCommit(store: Store, between: (commit: RollupCommit) => Promise<unknown>): boolean[] {
  const commit = store.rollups.commit.bind(store.rollups)
  const answers: boolean[] = []
  store.rollups.commit = async (first) => {
    store.rollups.commit = async (other) => {
      const answer = await commit(other)
      answers.push(answer)
      return answer
    }
    await between(first)
    const answer = await commit(first)
    answers.push(answer)
    return answer
  }
  return answers
}

describe('nothing is to do', () => {
  test.each<[string, Partial<RollupRequest>]>([
    ['where nothing is due', {}],
    ['where open days are refreshed', { refresh: true }],
    ['where days are asked for', { days: { from: 0, to: 100_000 } }],
  ])('in an empty store, %s', async (_, request) => {
    const store = temporaryStore()
    expect(await rollUp(store, request)).toEqual({ deviceDays: 0, events: 0, repeats: 0, passes: 0 })
    expect([await store.rollups.version(0), await store.rollups.lastRollupAt()]).toEqual([0, null])
  })

  test('of a device that was only placed, and what was due of it is cleared', async () => {
    const store = temporaryStore()
    const place = { type: 'placement', lat: 1, lon: 1 }
    await land(store, event('05-10T00:00', place))
    await land(store, event('05-11T00:00', place))
    expect(await store.due.shards()).toEqual([0])
    expect(await rollUp(store)).toMatchObject({ deviceDays: 0 })
    expect(await store.due.shards()).toEqual([])
    expect(await storedDays(store)).toEqual(new Map())
  })

  test('after a rollup', async () => {
    const store = temporaryStore()
    await land(store, visitor('05-10T10:00', 1))
    expect(await rollUp(store)).toEqual({ deviceDays: 1, events: 1, repeats: 0, passes: 1 })
    expect(await rollUp(store)).toEqual({ deviceDays: 0, events: 0, repeats: 0, passes: 0 })
    expect([await store.rollups.version(0), await store.rollups.lastRollupAt()]).toEqual([1, NOW])
  })
})

test('a landing between the reading of a rollup and its commit stays due, and is rolled up next', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T10:00', 1))
  let dueAtCommit = 0
  const answers = beforeFirstCommit(store, async ({ doneSegments }) => {
    await land(store, visitor('05-10T11:00', 10), visitor('05-12T11:00', 100))
    dueAtCommit = (await store.due.segments(0)).length - doneSegments.length
  })
  expect((await rollUp(store)).passes).toBe(1)
  expect(dueAtCommit).toBe(2)
  expect(await figuresOf(store, 'visitors')).toEqual({ 20240510: 1 })
  expect((await rollUp(store)).passes).toBe(1)
  expect(answers).toEqual([true, true])
  expect(await figuresOf(store, 'visitors')).toEqual({ 20240510: 11, 20240512: 100 })
  expect(await store.due.shards()).toEqual([])
})

test('a rollup ends though events land at each of its steps, and does all that was due when it began', async () => {
  const store = temporaryStore()
  const days = [10, 25, 28].map((day) => `05-${day}`)
  await land(store, ...days.map((day) => visitor(`${day}T10:00`, 1)))
  const dates = watchCommits(store)
  const { commit } = store.rollups
  let minute = 10
  store.rollups.commit = async (one) => {
    await land(store, ...days.map((day) => visitor(`${day}T11:${minute}`, 10)))
    minute++
    return commit(one)
  }
  expect((await rollUp(store)).passes).toBe(2)
  expect(dates.flat()).toEqual(expect.arrayContaining([20240510, 20240525, 20240528]))
  store.rollups.commit = commit
  await rollUp(store)
  expect(await figuresOf(store, 'visitors')).toEqual({ 20240510: 21, 20240525: 21, 20240528: 21 })
})

test('a placement that lands between the reading of a rollup and its commit stays due, too', async () => {
  const store = temporaryStore()
  await land(store, event('05-10T10:00', { type: 'gps', lat: 1, lon: 1 }))
  beforeFirstCommit(store, () => land(store, event('05-11T00:00', { type: 'placement', lat: 1, lon: 2 })))
  expect((await rollUp(store)).passes).toBe(1)
  expect((await figuresOf(store, 'distanceSumMm'))[20240510]).toBe(0)
  expect((await rollUp(store)).passes).toBe(1)
  expect((await figuresOf(store, 'distanceSumMm'))[20240510]).toBeGreaterThan(100_000_000)
})

test('of two rollups that began from one version the second commits nothing, and does what is left', async () => {
  const store = temporaryStore()
  await land(store, visitor('05-10T10:00', 1))
  const first: RollupResult[] = []
  const answers = beforeFirstCommit(store, async () => {
    first.push(await rollUp(store))
    await land(store, visitor('05-10T11:00', 10))
  })
  expect(await rollUp(store)).toEqual({ deviceDays: 1, events: 2, repeats: 0, passes: 1 })
  expect(first).toEqual([{ deviceDays: 1, events: 1, repeats: 0, passes: 1 }])
  expect(answers).toEqual([true, false, true])
  expect(await figuresOf(store, 'visitors')).toEqual({ 20240510: 11 })
  expect(await store.rollups.version(0)).toBe(2)
})

test('what was asked for is done though another rollup committed first', async () => {
  const store = temporaryStore()
  await land(store, power('05-31T12:00', true))
  const [early, late] = [Date.parse('2024-05-31T13:00Z'), Date.parse('2024-05-31T14:00Z')]
  await rollUp(store, { now: early })
  beforeFirstCommit(store, async () => {
    await land(store, visitor('05-10T10:00', 1))
    await rollUp(store, { now: early })
  })
  await rollUp(store, { now: late, refresh: true })
  expect((await onHours(store))[20240531]).toBe(2)
})

test('a gap of years costs few passes and no row', async () => {
  const store = temporaryStore()
  await land(store, power('2004-05-10T12:00', true), power('2014-05-10T12:00', false), visitor('05-10T12:00', 5))
  expect((await rollUp(store)).passes).toBeLessThanOrEqual(6)
  await land(store, event('2004-01-01T00:00', { type: 'placement', lat: 1, lon: 1, timezone: 'Europe/Berlin' }))
  expect((await rollUp(store)).passes).toBeLessThanOrEqual(6)
  expect(await figuresOf(store, 'events')).toEqual({
    ...{ 20040510: 1, 20040511: 0, 20040512: 0 },
    ...{ 20140510: 1, 20140511: 0, 20140512: 0 },
    // Heard again, the device is off as before.
    ...{ 20240510: 1, 20240511: 0, 20240512: 0 },
  })
})
