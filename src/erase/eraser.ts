import { startThreads, type Threads } from '../base/threads.ts'
import { type EraseOptions, eraseAll } from './erase.ts'
import type { DayTask, Erased, EraseRequest, RestTask } from './erase-request.ts'
import type { EraseTasks, EraseThreadData } from './erase-thread.ts'

/** Erases one request after the other, day by day, on a thread of its own that starts when it is first needed. */
export class Eraser {
  readonly #threads: Threads<EraseTasks>
  #stopping = false

  constructor(data: EraseThreadData) {
    this.#threads = startThreads(new URL('../erase/erase-thread.ts', import.meta.url), { threads: 1, data })
  }

  /** Runs `eraseAll` on the thread. */
  erase(request: EraseRequest, options: Omit<EraseOptions, 'isStopping'>): Promise<Erased> {
    const threads = this.#threads
    const steps = {
      begin: (asked: EraseRequest) => threads.run('begin', asked),
      day: (task: DayTask) => threads.run('day', task),
      rest: (task: RestTask) => threads.run('rest', task),
      overwrite: () => threads.run('overwrite', null),
    }
    return eraseAll(steps, request, { ...options, isStopping: () => this.#stopping })
  }

  /** Ends after the current day. */
  async close(): Promise<void> {
    this.#stopping = true
    await this.#threads.close()
  }
}
