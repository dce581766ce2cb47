import { describe, expect, test } from 'vitest'
import { emptyDeviceDay } from '../../../src/store/device-day.ts'
import type { KeptNotice } from '../../../src/store/notices.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { emptyCommit } from '../../../src/store/rollup-store.ts'
import { DAY_MS, MIDNIGHT, UTC_DAY, visitors } from '../landing-fixture.ts'
import { HOSTILE, lookAt, messageOf, NOW, noticeOf, put } from '../notice-fixture.ts'
import type { Engine } from '../test-store.ts'

/** Commits a rollup that changes a day of a device. */
async function rollUp({ rollups }: Store, day: number): Promise<void> {
  const commit = emptyCommit(0, await rollups.version(0), NOW)
  const rollup = { ...emptyDeviceDay(), startAt: day * DAY_MS, lengthMs: DAY_MS, passedMs: DAY_MS }
  commit.changes = new Map([[0, new Map([[day, new Map([[0, rollup]])]])]])
  expect(await rollups.commit(commit)).toBe(true)
}

async function repair({ rollups }: Store, change: { unreadable?: number; removed?: number }): Promise<void> {
  const { unreadable, removed } = change
  const repaired = await rollups.repair({
    ...{ shard: 0, version: await rollups.version(0), now: NOW, weeks: [], states: new Map(), due: [], revisions: [] },
    unreadable: unreadable === undefined ? [] : [{ block: 0, day: unreadable }],
    changes: removed === undefined ? new Map() : new Map([[0, new Map([[removed, new Map([[0, null]])]])]]),
  })
  expect(repaired).toBe(true)
}

/** Who is told what, and what is to be told. */
export function noticesContract(engine: Engine): void {
  describe('subscriptions', () => subscriptionsContract(engine))
  describe('days to look at', () => daysContract(engine))
  describe('what a look has found', () => looksContract(engine))
}

function subscriptionsContract({ open }: Engine): void {
  test('are put, replaced, ended and in use again', async () => {
    const { notices } = await open()
    await notices.putSubscription('b', JSON.stringify({ name: HOSTILE }), NOW)
    await notices.putSubscription('B', '{}', NOW)
    const b = { id: 'b', body: JSON.stringify({ name: HOSTILE }), createdAt: NOW, changedAt: NOW, endedWhy: null }
    expect(await notices.subscriptions()).toEqual([{ ...b, id: 'B', body: '{}' }, b])
    await notices.endSubscription('b', `410 Gone ${HOSTILE}`)
    await notices.endSubscription('nobody', 'it is gone')
    expect(await notices.subscriptions()).toMatchObject([
      { id: 'B', endedWhy: null },
      { id: 'b', endedWhy: expect.stringMatching(/^410 Gone half \ufffd, NUL \ufffd, /) },
    ])
    await notices.putSubscription('b', '{"new":1}', NOW + 1)
    expect((await notices.subscriptions())[1]).toEqual({ ...b, body: '{"new":1}', changedAt: NOW + 1 })
  })

  test('are removed with what they were told and are to be told; messages stay', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one', 'other')
    const told = ['one', 'other'].map((subscription) => ({ day: UTC_DAY, subscription, bits: new Map([[0, 1]]) }))
    const found = ['one', 'other'].map((subscription) => noticeOf(0, { subscription }))
    expect(await notices.note(await lookAt(store, { told, notices: found }))).toBe(true)
    expect(await notices.compose([messageOf()], [])).toBe(true)
    expect(await notices.removeSubscription('one')).toBe(true)
    expect(await notices.removeSubscription('one')).toBe(false)
    expect((await notices.subscriptions()).map(({ id }) => id)).toEqual(['other'])
    expect(await notices.told(0, 0, UTC_DAY)).toEqual([told[1]])
    expect(await notices.noticesOn(0, UTC_DAY)).toMatchObject([{ subscription: 'other' }])
    expect(await notices.messages({ limit: 9 })).toHaveLength(1)
  })

  test('of one that is removed during a look nothing stays', async () => {
    const store = await open()
    await put(store.notices, 'one')
    const told = [{ day: UTC_DAY, subscription: 'one', bits: new Map([[0, 1]]) }]
    const look = await lookAt(store, { told, notices: [noticeOf(0)] })
    await store.notices.removeSubscription('one')
    expect(await store.notices.note(look)).toBe(true)
    expect(await store.notices.told(0, 0, UTC_DAY)).toEqual([])
    expect(await store.notices.noticedDays('one')).toEqual([])
  })
}

function daysContract({ open }: Engine): void {
  test('are marked by rollups and repairs, only while a subscription is in use', async () => {
    const store = await open()
    const { notices } = store
    await store.landing.land(visitors(['a', MIDNIGHT, 1]), NOW)
    expect(await notices.dueShards()).toEqual([])
    await rollUp(store, UTC_DAY)
    expect(await notices.dueDays(0)).toEqual([])
    expect(await notices.dueShards()).toEqual([0]) // Its days may have closed.
    await notices.note(await lookAt(store, {}))
    expect(await notices.dueShards()).toEqual([])
    await put(notices, 'one', 'other')
    await notices.endSubscription('one', 'it is gone')
    await rollUp(store, UTC_DAY + 1)
    await repair(store, { unreadable: UTC_DAY })
    await repair(store, { removed: UTC_DAY + 1 })
    expect(await notices.dueShards()).toEqual([0])
    expect(await notices.dueDays(0)).toEqual([UTC_DAY, UTC_DAY + 1])
    await notices.note(await lookAt(store, { days: [UTC_DAY] }))
    expect(await notices.dueDays(0)).toEqual([UTC_DAY + 1])
    await notices.note(await lookAt(store, { days: [UTC_DAY + 1] }))
    await notices.endSubscription('other', 'it is gone')
    await rollUp(store, UTC_DAY + 2)
    expect(await notices.dueDays(0)).toEqual([])
  })

  test('a commit that is refused marks nothing', async () => {
    const store = await open()
    await put(store.notices, 'one')
    const commit = emptyCommit(0, 5, NOW)
    commit.changes = new Map([[0, new Map([[UTC_DAY, new Map([[0, null]])]])]])
    expect(await store.rollups.commit(commit)).toBe(false)
    expect(await store.notices.dueDays(0)).toEqual([])
  })
}

function looksContract({ open, connect }: Engine): void {
  test('is read as it was written, and replaced', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one')
    expect(await notices.noticed(0)).toEqual({ revision: 0, at: 0 })
    const { shards } = store.archive
    const bits = new Map([0, 1, 2, 200, 70_000].map((local) => [local * shards, (local % 31) + 1]))
    const body = JSON.stringify({ address: HOSTILE })
    const found = [noticeOf(0, { body, before: 3 }), noticeOf(shards)]
    await notices.note(await lookAt(store, { told: [{ day: UTC_DAY, subscription: 'one', bits }], notices: found }))
    expect(await notices.noticed(0)).toEqual({ revision: 1, at: NOW })
    expect(await notices.told(0, UTC_DAY, UTC_DAY)).toEqual([{ day: UTC_DAY, subscription: 'one', bits }])
    expect(await notices.told(0, UTC_DAY + 1, UTC_DAY + 9)).toEqual([])
    const kept = found.map((one) => ({ ...one, revision: 1 }))
    const byDevice = (rows: KeptNotice[]) => rows.sort((one, other) => one.device - other.device)
    expect(byDevice(await notices.noticesOn(0, UTC_DAY))).toEqual(kept)
    expect(byDevice(await notices.noticesOf('one', UTC_DAY, 9))).toEqual(kept)
    expect(await notices.noticesOf('one', UTC_DAY, 1)).toHaveLength(1)
    expect(await notices.noticedDays('one')).toEqual([UTC_DAY])
    const none = [{ day: UTC_DAY, subscription: 'one', bits: new Map() }]
    await notices.note(await lookAt(store, { told: none, gone: [found[1]], notices: [noticeOf(0, { before: 1 })] }))
    expect(await notices.told(0, 0, UTC_DAY)).toEqual([])
    expect(await notices.noticesOn(0, UTC_DAY)).toEqual([{ ...noticeOf(0, { before: 1 }), revision: 2 }])
  })

  test('is refused after a rollup, and after another look', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one')
    const [early, late] = [
      await lookAt(store, { notices: [noticeOf(0)] }),
      await lookAt(store, { notices: [noticeOf(1)] }),
    ]
    await rollUp(store, UTC_DAY)
    expect(await notices.note(early)).toBe(false)
    const version = await store.rollups.version(0)
    expect(await notices.note({ ...late, version })).toBe(true)
    expect(await notices.note({ ...early, version })).toBe(false)
    expect(await notices.noticesOn(0, UTC_DAY)).toMatchObject([{ device: 1 }])
    expect(await notices.dueDays(0)).toEqual([UTC_DAY]) // The look did not see it.
  })

  test('all shards have been looked through as of the earliest of them', async () => {
    const store = await open()
    const { shards } = store.archive
    for (let shard = 0; shard < shards; shard++) {
      expect(await store.notices.noticedUpTo()).toBe(0)
      await store.notices.note({
        ...(await lookAt(store)),
        shard,
        revision: 0,
        version: await store.rollups.version(shard),
        at: NOW + shard,
      })
    }
    expect(await store.notices.noticedUpTo()).toBe(NOW)
  })

  test('of two looks at once one is written', async () => {
    const [store, other] = await connect()
    await put(store.notices, 'one')
    const look = await lookAt(store, { notices: [noticeOf(0)] })
    const written = await Promise.all([store, other].map(({ notices }) => notices.note(look)))
    expect(written.sort()).toEqual([false, true])
  })
}
