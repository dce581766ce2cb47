import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CoolerError } from '../../../src/base/errors.ts'
import { moveStore } from '../../../src/move/move.ts'
import type { ExceptionMessage } from '../../../src/notify/message.ts'
import type { MoveTarget } from '../../../src/store/moving.ts'
import { openMoveTarget, openStoreReader, type Store } from '../../../src/store/open-store.ts'
import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { temporaryFolder } from '../../helpers/temporary-store.ts'
import type { History } from '../../reference/arbitraries.ts'
import { wholeMessages } from '../../store/notice-fixture.ts'
import { HISTORY, SEQUEL } from '../../stores/history.ts'
import { move, opened, REJECTS_KEPT, reopen, take } from '../move-run.ts'
import { outcome } from '../outcome.ts'

const NOW = SEQUEL.rolledUpAt
const OF_HISTORY: History = {
  events: [],
  asOfMs: NOW,
  settings: {
    defaultTimezone: 'UTC',
    daytimeStartMinute: 360,
    daytimeEndMinute: 1080,
    silenceLimitHours: 48,
    doorCount: 'events',
  },
}
const BATCHES: readonly (readonly unknown[])[] = [HISTORY[0].events, HISTORY[1].events, SEQUEL.events]

type Steps = Parameters<typeof take>[3][]
const doAll = async (store: Store, steps: Steps): Promise<void> => {
  for (const step of steps) await take(store, OF_HISTORY, BATCHES, step)
}
const FIRST: Steps = [
  { do: 'subscribe', earlierMs: 40 * 86_400_000 },
  { do: 'land', batch: 0, ofImport: 1 },
  { do: 'roll up', earlierMs: 3_600_000, refresh: true },
  { do: 'tell', earlierMs: 3_600_000, send: false },
  { do: 'compact', place: 0, days: 1 },
  { do: 'land', batch: 1, ofImport: 0 },
]
const MEANWHILE: Steps = [
  { do: 'land', batch: 2, ofImport: 2 },
  { do: 'tell', earlierMs: 0, send: true },
  { do: 'compact', place: 0, days: 9 },
  { do: 'erase', device: 3, earlierMs: 0, lengthMs: 1, isFix: false },
  { do: 'take back', ofImport: 2 },
]

const ENGINES = {
  'a database': temporaryDatabase,
  'a file': async () => join(temporaryFolder(), 'store.sqlite'),
}
const WAYS = [
  ['a file', 'a database'],
  ['a database', 'a file'],
] as const

/** Lets something happen before each call of a target, counted from 0. */
function stepped(target: MoveTarget, happen: (call: number) => Promise<void>): MoveTarget {
  let calls = 0
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function' || name === 'close') return member
      return async (...args: unknown[]) => {
        await happen(calls++)
        return member.apply(target, args)
      }
    },
  })
}

/** Runs a move at each call of which something else may happen. */
async function moveStepped(from: string, to: string, happen: (call: number) => Promise<void>) {
  const [source, target] = [
    await openStoreReader({ location: from, rejectsKept: REJECTS_KEPT }),
    await openMoveTarget({ location: to, rejectsKept: REJECTS_KEPT }),
  ]
  try {
    return await moveStore(source, stepped(target, happen), { now: NOW, close: null })
  } finally {
    await target.close()
    await source.close()
  }
}

/** Runs a move until that call; returns whether it came to its end before. */
async function interrupted(from: string, to: string, lost: number): Promise<boolean> {
  const run = moveStepped(from, to, async (call) => {
    if (call === lost) throw new CoolerError('store-busy', 'the connection is lost')
  })
  return run.then(
    () => true,
    (error) => {
      expect(error).toMatchObject({ message: 'the connection is lost' })
      return false
    },
  )
}

test.each(WAYS)('a move from %s to %s that is stopped at any step goes on where it was', async (one, other) => {
  const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
  const source = await opened(from)
  await doAll(source, FIRST)
  let call = 0
  while (!(await interrupted(from, to, call))) {
    if (call === 12) await doAll(source, MEANWHILE)
    call += 3
  }
  expect(call).toBeGreaterThan(12)
  const before = await outcome(source, OF_HISTORY)
  expect(await move(from, to, { now: NOW, finish: true })).toMatchObject({
    copied: { devices: 0, events: 0, rollups: 0 },
    behind: { landed: 0, erased: 0 },
  })
  expect(await outcome(await opened(to), OF_HISTORY)).toEqual(before)
})

test.each(WAYS)(
  'a store that changes at the steps of a move from %s to %s is copied as it was at one moment',
  async (one, other) => {
    const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
    const source = await opened(from)
    await doAll(source, FIRST)
    const steps: Steps = [
      ...MEANWHILE,
      { do: 'roll up', earlierMs: 0, refresh: true },
      ...MEANWHILE,
      ...FIRST,
      ...MEANWHILE,
    ]
    let next = 0
    const { behind } = await moveStepped(from, to, async (call) => {
      if (call % 2 === 0 && next < steps.length) await doAll(source, [steps[next++]])
    })
    expect(next).toBe(steps.length)
    expect(behind.landed).toBeGreaterThanOrEqual(0)
    const before = await outcome(source, OF_HISTORY)
    await move(from, to, { now: NOW, finish: true })
    expect(await outcome(await opened(to), OF_HISTORY)).toEqual(before)
  },
)

/** Requires that messages, in their order, tell of no exception twice. Returns how many they tell of. */
async function requireToldOnce({ notices }: Store): Promise<number> {
  const holds = new Set<string>()
  const messages = await wholeMessages(notices)
  for (const { subscription, body } of messages.reverse()) {
    const { day, items } = JSON.parse(body) as ExceptionMessage
    for (const { deviceId, exception, change } of items) {
      const key = `${subscription} ${deviceId} ${day} ${exception}`
      expect(holds.has(key), key).toBe(change === 'ended')
      if (change === 'began') holds.add(key)
      else holds.delete(key)
    }
  }
  return holds.size
}

test.each(WAYS)('after a move from %s to %s nothing is told twice, and nothing is left out', async (one, other) => {
  const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
  const source = await opened(from)
  await doAll(source, [...FIRST, { do: 'tell', earlierMs: 0, send: true }, { do: 'land', batch: 2, ofImport: 0 }])
  // Its days wait to be looked at.
  await doAll(source, [{ do: 'roll up', earlierMs: 0, refresh: true }])
  const before = await requireToldOnce(source)
  expect(before).toBeGreaterThan(0)
  await move(from, to, { now: NOW, finish: true })
  const target = await opened(to)
  await reopen(from)
  for (const store of [source, target]) {
    await doAll(store, [
      { do: 'tell', earlierMs: 0, send: true },
      { do: 'tell', earlierMs: 0, send: true },
    ])
  }
  expect(await requireToldOnce(target)).toBeGreaterThan(before)
  expect((await outcome(target, OF_HISTORY)).messages).toEqual((await outcome(source, OF_HISTORY)).messages)
})

test.each(WAYS)('from %s to %s only what has changed is copied again', async (one, other) => {
  const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
  const source = await opened(from)
  await doAll(source, FIRST)
  expect((await move(from, to)).copied).toMatchObject({ events: 15, devices: 4 })
  expect((await move(from, to)).copied).toEqual({ events: 0, devices: 0, rollups: 0 })
  await doAll(source, [{ do: 'land', batch: 2, ofImport: 0 }])
  expect((await move(from, to)).copied.events).toBe(SEQUEL.events.length)
})

test.each(WAYS)(
  'nobody else uses the target of a move from %s to %s before its end, or the source after it',
  async (one, other) => {
    const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
    const source = await opened(from)
    await doAll(source, FIRST)
    await move(from, to)
    const unfinished = expect.objectContaining({
      code: 'bad-configuration',
      message: expect.stringMatching(/--finish/),
    })
    await expect(opened(to)).rejects.toEqual(unfinished)
    await expect(openStoreReader({ location: to, rejectsKept: 1 })).rejects.toEqual(unfinished)
    await move(from, to, { finish: true })
    // A service that still runs on the source.
    const [land] = MEANWHILE
    await expect(doAll(source, [land])).rejects.toMatchObject({ code: 'store-gone', retryable: true })
    await expect(source.registry.put('new', {}, NOW)).rejects.toMatchObject({ code: 'store-gone' })
    await expect(opened(from)).rejects.toMatchObject({ code: 'bad-configuration' })
    await (await openStoreReader({ location: from, rejectsKept: 1 })).close()
    const target = await opened(to)
    await doAll(target, [land])
    await expect(move(from, to)).rejects.toMatchObject({
      code: 'bad-configuration',
      message: expect.stringMatching(/its own/),
    })
    await reopen(from)
    await doAll(source, [land])
    expect(await outcome(source, OF_HISTORY)).toEqual(await outcome(target, OF_HISTORY))
  },
)

test.each(WAYS)('of two moves from %s to %s only the later one goes on', async (one, other) => {
  const [from, to] = [await ENGINES[one](), await ENGINES[other]()]
  await doAll(await opened(from), FIRST)
  const source = await openStoreReader({ location: from, rejectsKept: REJECTS_KEPT })
  const earlier = await openMoveTarget({ location: to, rejectsKept: REJECTS_KEPT })
  const later = await openMoveTarget({ location: to, rejectsKept: REJECTS_KEPT })
  await expect(moveStore(source, earlier, { now: NOW, close: null })).rejects.toMatchObject({ code: 'store-busy' })
  expect((await moveStore(source, later, { now: NOW, close: null })).copied.events).toBe(15)
  for (const store of [source, earlier, later]) await store.close()
})
