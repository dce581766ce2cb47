import type { Threads } from '../base/threads.ts'
import type { NoticeStore } from '../store/notices.ts'
import type { NotifyTasks } from './notify-thread.ts'

/** Returns the store of notices whose calls run on a thread, as only threads write. */
export function noticesOn(thread: Threads<NotifyTasks>): NoticeStore {
  const call =
    (name: keyof NoticeStore) =>
    (...values: readonly unknown[]) =>
      thread.run('call', { name, values })
  return new Proxy({} as NoticeStore, { get: (_, name) => call(name as keyof NoticeStore) })
}
