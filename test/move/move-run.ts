import { onTestFinished } from 'vitest'
import type { CoolerError } from '../../src/base/errors.ts'
import { eraseAll, eraseSteps } from '../../src/erase/erase.ts'
import type { EraseRequest } from '../../src/erase/erase-request.ts'
import { NO_SEQ } from '../../src/event/event-columns.ts'
import { newImport } from '../../src/event/import-note.ts'
import { Landing } from '../../src/ingest/landing.ts'
import { moveStore } from '../../src/move/move.ts'
import { findNotices } from '../../src/notify/find-notices.ts'
import { aheadOf } from '../../src/rollup/due-plan.ts'
import { takenFrom } from '../../src/store/archive.ts'
import { openMoveTarget, openStore, openStoreReader, type Store, setMoveState } from '../../src/store/open-store.ts'
import { compactDay } from '../../src/upkeep/compact-day.ts'
import { productSettings, rollUpAll } from '../helpers/run-history.ts'
import type { History } from '../reference/arbitraries.ts'

type Settings = ReturnType<typeof productSettings>

export const IDS = ['a', '__proto__', 'B', 'a1']

/** Something that happens to a store; instants are so long before the last one of the history. */
export type Step =
  | { do: 'land'; batch: number; ofImport: number }
  | { do: 'roll up'; earlierMs: number; refresh: boolean }
  | { do: 'compact'; place: number; days: number }
  | { do: 'prune'; days: number }
  | { do: 'place'; device: number; lat: number; earlierMs: number }
  | { do: 'retire'; device: number; isRetired: boolean }
  | { do: 'erase'; device: number; earlierMs: number; lengthMs: number; isFix: boolean }
  | { do: 'take back'; ofImport: number }
  | { do: 'subscribe'; earlierMs: number }
  | { do: 'tell'; earlierMs: number; send: boolean }

const IMPORTS = [1, 2].map((number) => newImport([`readings-${number}.csv`], number))

/** Does the same to a store of any engine. */
export async function take(
  store: Store,
  history: History,
  batches: readonly (readonly unknown[])[],
  one: Step,
): Promise<void> {
  const { asOfMs } = history
  const settings = productSettings(history.settings)
  if (one.do === 'land') await land(store, history, batches[one.batch % batches.length], one.ofImport)
  else if (one.do === 'roll up') {
    const now = asOfMs - one.earlierMs
    await rollUpAll(store, settings, now, one.refresh)
    await store.rollups.noteRolledUp(now, aheadOf(now))
  } else if (one.do === 'compact') {
    const days = await store.archive.daysToCompact(100_000)
    const utcDays = [...new Set(days.map(({ utcDay }) => utcDay))]
    const some = new Set(utcDays.slice(one.place % Math.max(1, utcDays.length)).slice(0, one.days))
    for (const { shard, utcDay } of days) if (some.has(utcDay)) await compactDay(store.archive, shard, utcDay)
  } else if (one.do === 'prune') {
    for (let day = 0; day < one.days; day++) if ((await store.archive.pruneDay(100_000)) === null) return
  } else if (one.do === 'place') {
    const at = asOfMs - one.earlierMs
    const placement = { at, seq: NO_SEQ, lat: one.lat, lon: 1e7, zone: 'Europe/Berlin', address: null }
    await store.registry.put(IDS[one.device], { placements: one.lat === 0 ? [] : [placement] }, asOfMs)
  } else if (one.do === 'retire') {
    const change = { retiredAt: one.isRetired ? asOfMs : null, labels: one.isRetired ? {} : { customer: 'K\u00fchl' } }
    await store.registry.put(IDS[one.device], change, asOfMs)
  } else if (one.do === 'erase') {
    const fromAt = asOfMs - one.earlierMs
    await erase(store, asOfMs, {
      device: IDS[one.device],
      fromAt,
      toAt: fromAt + one.lengthMs,
      type: one.isFix ? 'gps' : null,
    })
  } else if (one.do === 'subscribe') await subscribe(store, asOfMs - one.earlierMs)
  else if (one.do === 'tell') await tell(store, settings, asOfMs - one.earlierMs, one.send)
  else await erase(store, asOfMs, { import: IMPORTS[one.ofImport - 1].id })
}

/** As the settings of the program are. */
const EXCEPTIONS = { offHours: 4, warmAboveSet: 4, warmAbove: 10, silentHours: 24 }

async function subscribe({ notices }: Store, now: number): Promise<void> {
  const all = { moved: {}, off: {}, warm: {}, silent: {}, 'no-power-data': {} }
  const channel = { type: 'webhook', url: 'https://example.org/', format: 'json' }
  for (const when of ['settled', 'provisional']) {
    const body = JSON.stringify({ id: when, kind: 'exceptions', channel, exceptions: all, when })
    await notices.putSubscription(when, body, now)
  }
}

/** Finds what is to be told, and sends the messages that can be sent now. */
async function tell(store: Store, settings: Settings, now: number, send: boolean): Promise<void> {
  await findNotices({ store, settings: { ...settings, exceptions: EXCEPTIONS }, now: () => now })
  const claimed = send ? await store.notices.claim(now, now + 60_000, 99) : []
  for (const { id } of claimed) await store.notices.attempted({ id, state: 'sent', nextAt: now, now, error: null })
}

async function land(store: Store, { asOfMs }: History, events: readonly unknown[], ofImport: number): Promise<void> {
  const bound = takenFrom(await store.archive.purgedBefore())
  const note = ofImport === 0 ? {} : { import: IMPORTS[ofImport - 1] }
  await new Landing(store.landing, { now: () => asOfMs, purgedBefore: () => bound, ...note }).land({ events })
}

/** Erases unless there is no such device or import, or its days have been purged. */
async function erase(store: Store, now: number, request: EraseRequest): Promise<void> {
  await eraseAll(eraseSteps(store), request, { now }).catch((error: CoolerError) => {
    if (error.code !== 'not-found' && error.code !== 'raw-purged') throw error
  })
}

export const REJECTS_KEPT = 1000

/** Opens a store, closed when the test ends. */
export async function opened(location: string): Promise<Store> {
  const store = await openStore({ location, rejectsKept: REJECTS_KEPT })
  let closed: Promise<void> | null = null
  const { close } = store
  store.close = () => (closed ??= close())
  onTestFinished(() => store.close())
  return store
}

/** Runs a move once, as the command does. */
export async function move(from: string, to: string, { now = 0, finish = false } = {}) {
  const source = await openStoreReader({ location: from, rejectsKept: REJECTS_KEPT })
  try {
    const target = await openMoveTarget({ location: to, rejectsKept: REJECTS_KEPT })
    try {
      const set = (state: 'in-use' | 'moved') => () =>
        setMoveState({ location: from, rejectsKept: REJECTS_KEPT }, state)
      return await moveStore(source, target, {
        now,
        close: finish ? { stop: set('moved'), goOn: set('in-use') } : null,
      })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Takes a moved store into use again, to compare what happens to both from now on. */
export const reopen = (location: string): Promise<void> =>
  setMoveState({ location, rejectsKept: REJECTS_KEPT }, 'in-use')
