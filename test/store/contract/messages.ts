import { describe, expect, test } from 'vitest'
import type { NewMessage } from '../../../src/store/notices.ts'
import type { Store } from '../../../src/store/open-store.ts'
import { DAY_MS, UTC_DAY } from '../landing-fixture.ts'
import { HOSTILE, HOUR_MS, idsOf, lookAt, messageOf, NOW, noticeOf, put } from '../notice-fixture.ts'
import type { Engine } from '../test-store.ts'

/** What is to be told becomes messages, each of which is sent until it arrives. */
export function messagesContract(engine: Engine): void {
  describe('the messages', () => keptMessages(engine))
  describe('sending', () => sendingContract(engine))
}

function keptMessages({ open, connect }: Engine): void {
  test('are composed of notices, which are gone then', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one')
    await notices.note(await lookAt(store, { notices: [noticeOf(0), noticeOf(1), noticeOf(2)] }))
    const [first, second, third] = await notices.noticesOf('one', UTC_DAY, 9)
    const body = JSON.stringify({ type: 'exceptions', items: [HOSTILE] })
    const message = messageOf({ body })
    expect(await notices.compose([message], [first, second])).toBe(true)
    expect(await notices.noticesOf('one', UTC_DAY, 9)).toEqual([third])
    const stored = { isStale: false, state: 'waiting', attempts: 0, nextAt: NOW, doneAt: null, error: null } as const
    expect(await notices.message(message.id)).toEqual({ ...message, ...stored })
    expect(await notices.message('msg_\0none')).toBeNull()
    expect(await notices.messageCounts()).toEqual({ waiting: 1, failed: 0, oldestAt: NOW })
  })

  test('are refused, all of them, where a notice has changed or there is one of that version', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one')
    await notices.note(await lookAt(store, { notices: [noticeOf(0), noticeOf(1)] }))
    const told = await notices.noticesOf('one', UTC_DAY, 9)
    await notices.note(await lookAt(store, { notices: [noticeOf(1, { before: 1 })] }))
    expect(await notices.compose([messageOf()], told)).toBe(false)
    expect(await notices.noticesOf('one', UTC_DAY, 9)).toHaveLength(2)
    const now = await notices.noticesOf('one', UTC_DAY, 9)
    expect(await notices.compose([messageOf({ version: 1 })], [])).toBe(true)
    expect(await notices.compose([messageOf({ version: 2 }), messageOf({ version: 1 })], now)).toBe(false)
    expect(await notices.noticesOf('one', UTC_DAY, 9)).toHaveLength(2)
    expect(await notices.messages({ limit: 9 })).toHaveLength(1)
    expect(await notices.compose([messageOf({ version: 2 })], now)).toBe(true)
  })

  test('that two make at once are made once', async () => {
    const [store, other] = await connect()
    await put(store.notices, 'one')
    const found = Array.from({ length: 50 }, (_, device) => noticeOf(device))
    await store.notices.note(await lookAt(store, { notices: found }))
    const told = await store.notices.noticesOf('one', UTC_DAY, 99)
    const made = await Promise.all([
      store.notices.compose([messageOf()], told),
      other.notices.compose([messageOf()], [...told].reverse()),
    ])
    expect(made.sort()).toEqual([false, true])
    expect(await store.notices.messages({ limit: 9 })).toHaveLength(1)
  })

  test('are listed newest first, by what they are about, page by page', async () => {
    const { notices } = await open()
    const all = Array.from({ length: 9 }, (_, nth) =>
      messageOf({
        version: nth + 1,
        createdAt: NOW + Math.floor(nth / 3),
        ...(nth % 2 ? { subscription: 'other', day: 5, type: 'file' } : {}),
      }),
    )
    await notices.compose(all, [])
    const newest = [...all].reverse().map(({ id }) => id)
    const listed = (await notices.messages({ limit: 4 })).map(({ id }) => id)
    expect(listed).toEqual(newest.slice(0, 4))
    const last = all.find(({ id }) => id === listed[3]) as NewMessage
    const next = await notices.messages({ limit: 9, before: { createdAt: last.createdAt, id: last.id } })
    expect(next.map(({ id }) => id)).toEqual(newest.slice(4))
    expect(await notices.messages({ limit: 9, subscription: 'other', day: 5, type: 'file' })).toHaveLength(4)
    expect(await notices.messages({ limit: 9, state: 'failed' })).toEqual([])
    expect(await notices.messages({ limit: 9, subscription: 'nobody\0' })).toEqual([])
  })

  test('about files are stale when one of their days changes, until they are confirmed or made again', async () => {
    const store = await open()
    const { notices } = store
    const file = (more: Partial<NewMessage>) => messageOf({ type: 'file', ...more })
    const [before, within, other] = [
      file({ day: UTC_DAY - 9, toDay: UTC_DAY - 1 }),
      file({ day: UTC_DAY - 3, toDay: UTC_DAY + 3 }),
      messageOf(),
    ]
    await notices.compose([before, within, other], [])
    await notices.note(await lookAt(store, { days: [UTC_DAY] }))
    expect(idsOf(await notices.staleMessages())).toEqual([within.id])
    await notices.confirm(within.id)
    expect(await notices.staleMessages()).toEqual([])
    await notices.note(await lookAt(store, { days: [UTC_DAY + 3] }))
    expect(await notices.message(within.id)).toMatchObject({ isStale: true })
    await notices.compose([file({ ...within, id: 'msg_later', version: 2 })], [])
    expect(await notices.staleMessages()).toEqual([])
  })

  test('and what was told of days is forgotten, but not what waits', async () => {
    const store = await open()
    const { notices } = store
    await put(notices, 'one')
    const told = [UTC_DAY, UTC_DAY + 1].map((day) => ({ day, subscription: 'one', bits: new Map([[0, 1]]) }))
    await notices.note(await lookAt(store, { told }))
    const [sent, waiting, young] = [1, 2, 3].map((version) => messageOf({ version, createdAt: NOW + version }))
    await notices.compose([sent, waiting, young], [])
    for (const { id } of [sent, young])
      await notices.attempted({ id, state: 'sent', nextAt: NOW, now: NOW + 9, error: null })
    await notices.forgetNotices(NOW + 3, UTC_DAY + 1)
    expect(idsOf(await notices.messages({ limit: 9 }))).toEqual([waiting.id, young.id])
    expect((await notices.told(0, 0, UTC_DAY + 9)).map(({ day }) => day)).toEqual([UTC_DAY + 1])
  })
}

function sendingContract({ open, connect }: Engine): void {
  const claim = ({ notices }: Store, now: number, limit = 9) => notices.claim(now, now + HOUR_MS / 2, limit)

  test('the oldest message of each subscription is taken first, and by nobody else until the claim ends', async () => {
    const store = await open()
    const [first, second] = [messageOf(), messageOf({ version: 2, createdAt: NOW + 1 })]
    const other = messageOf({ subscription: 'other', createdAt: NOW + 5 })
    await store.notices.compose([second, first, other], [])
    expect(await claim(store, NOW + 1)).toMatchObject([{ id: first.id, attempts: 1, state: 'waiting' }])
    expect(idsOf(await claim(store, NOW + 6))).toEqual([other.id])
    expect(await claim(store, NOW + 7)).toEqual([])
    expect(await claim(store, NOW + 6 + HOUR_MS / 2, 1)).toMatchObject([{ id: first.id, attempts: 2 }])
    await store.notices.attempted({ id: first.id, state: 'sent', nextAt: NOW, now: NOW + 8, error: null })
    expect(await store.notices.message(first.id)).toMatchObject({ state: 'sent', doneAt: NOW + 8 })
    expect(idsOf(await claim(store, NOW + 9))).toEqual([second.id])
  })

  test('a message that failed waits for its next attempt, those after it with it, until it is given up', async () => {
    const store = await open()
    const { notices } = store
    const [first, second] = [messageOf(), messageOf({ version: 2, createdAt: NOW + 1 })]
    await notices.compose([first, second], [])
    await claim(store, NOW + 1)
    const error = `it answered ${HOSTILE}`
    await notices.attempted({ id: first.id, state: 'waiting', nextAt: NOW + HOUR_MS, now: NOW + 1, error })
    const waiting = await notices.message(first.id)
    expect(waiting).toMatchObject({ state: 'waiting', nextAt: NOW + HOUR_MS, doneAt: null })
    expect(waiting?.error).toMatch(/^it answered half \ufffd/)
    expect(await claim(store, NOW + HOUR_MS - 1)).toEqual([])
    expect(idsOf(await claim(store, NOW + HOUR_MS))).toEqual([first.id])
    await notices.attempted({ id: first.id, state: 'failed', nextAt: 0, now: NOW + HOUR_MS, error: 'no', hash: 'h' })
    expect(await notices.message(first.id)).toMatchObject({ state: 'failed', doneAt: NOW + HOUR_MS, hash: 'h' })
    expect(await notices.messageCounts()).toEqual({ waiting: 1, failed: 1, oldestAt: NOW + 1 })
    expect(idsOf(await claim(store, NOW + HOUR_MS))).toEqual([second.id])
  })

  test('a message that failed is sent again when somebody asks, one that was sent is not', async () => {
    const store = await open()
    const { notices } = store
    const [failed, sent] = [messageOf(), messageOf({ version: 2 })]
    await notices.compose([failed, sent], [])
    await notices.attempted({ id: failed.id, state: 'failed', nextAt: 0, now: NOW, error: 'no' })
    await notices.attempted({ id: sent.id, state: 'sent', nextAt: 0, now: NOW, error: null })
    expect(await notices.retry(failed.id, NOW + 5)).toBe(true)
    expect(await notices.retry(failed.id, NOW + 5)).toBe(false)
    expect(await notices.retry(sent.id, NOW + 5)).toBe(false)
    expect(await notices.retry('nobody\0', NOW + 5)).toBe(false)
    expect(await claim(store, NOW + 5)).toMatchObject([{ id: failed.id, attempts: 1 }])
    // The outcome of an attempt that somebody else has finished changes nothing.
    await notices.attempted({ id: sent.id, state: 'waiting', nextAt: 0, now: NOW, error: 'late' })
    expect(await notices.message(sent.id)).toMatchObject({ state: 'sent', error: null })
  })

  test('a clock that is set far back blocks nothing for ever', async () => {
    const store = await open()
    const { notices } = store
    const far = NOW + 30 * DAY_MS
    const message = messageOf({ createdAt: far })
    await notices.compose([message], [])
    expect(idsOf(await claim(store, far))).toEqual([message.id])
    expect(idsOf(await claim(store, NOW))).toEqual([message.id])
    await notices.attempted({ id: message.id, state: 'waiting', nextAt: far + HOUR_MS, now: far, error: 'no' })
    expect(idsOf(await claim(store, NOW))).toEqual([message.id])
  })

  test('what two take at once is taken once', async () => {
    const [store, other] = await connect()
    const all = Array.from({ length: 30 }, (_, nth) => messageOf({ subscription: `s${nth}` }))
    await store.notices.compose(all, [])
    const taken = await Promise.all([store, other, store, other].map((one) => claim(one, NOW, 20)))
    const rest = await claim(store, NOW, 99)
    expect(idsOf([...taken.flat(), ...rest])).toEqual(idsOf(all))
  })
}
