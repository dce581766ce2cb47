import { workerData } from 'piscina'
import { once } from '../base/once.ts'
import { stepBack, threadTask } from '../base/threads.ts'
import type { DescriptionSettings } from '../report/device-days.ts'
import type { NoticeStore } from '../store/notices.ts'
import { openStore, type StoreOptions } from '../store/open-store.ts'
import { findNotices } from './find-notices.ts'

/** The data that a thread of notices is started with. */
export interface NotifyThreadData {
  store: StoreOptions
  settings: DescriptionSettings
}

const data = workerData as NotifyThreadData
stepBack('computing')
const opened = once(() => openStore(data.store))

/** Finds and composes the messages that are due; returns their number. */
export const find = threadTask(async (): Promise<number> => {
  const store = await opened()
  return findNotices({ store, settings: data.settings, now: () => store.clock.now() })
})

/** A call of the store of notices. */
export interface NoticeCall {
  name: keyof NoticeStore
  values: readonly unknown[]
}

/** Calls the store of notices, which only threads write to. */
export const call = threadTask(async ({ name, values }: NoticeCall): Promise<unknown> => {
  const { notices } = await opened()
  return (notices[name] as (...values: readonly unknown[]) => Promise<unknown>)(...values)
})

export type NotifyTasks = {
  find: typeof find
  call: typeof call
}
