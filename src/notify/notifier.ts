import type { Threads } from '../base/threads.ts'
import { millisecondsInDay, utcDayOf } from '../base/time.ts'
import type { NoticeReads, NoticeStore, StoredMessage } from '../store/notices.ts'
import { Damages } from './damages.ts'
import { deliver } from './deliver.ts'
import { inUse, ofKind } from './in-use.ts'
import { type FileParts, makeFile } from './made-files.ts'
import { noticesOn } from './notices-on.ts'
import type { NotifyTasks } from './notify-thread.ts'
import { isSettled } from './report-file.ts'
import { scheduleFiles } from './schedule-files.ts'
import type { Outcome, Senders } from './sender.ts'

/** How long messages and reported exceptions are kept. Changes of older days are no longer reported. */
export const KEPT_DAYS = 90

/** Dependencies of a Notifier. */
export interface NotifierParts {
  thread: Threads<NotifyTasks>
  reads: NoticeReads
  senders: Senders
  files: FileParts
  /** Returns the time of the store, epoch ms. */
  now: () => number
}

/** Counts of messages in one run. */
export interface Notified {
  composed: number
  sent: number
  failed: number
}

/** Makes and sends the messages that subscriptions ask for. Any number of processes may do so at the same time. */
export class Notifier {
  readonly #parts: NotifierParts
  readonly #writes: NoticeStore
  readonly #stopping = new AbortController()
  #running: Promise<Notified> | null = null
  #forgottenDay = -1

  constructor(parts: NotifierParts) {
    this.#parts = parts
    this.#writes = noticesOn(parts.thread)
  }

  /**
   * Makes and sends all messages that are due. A call during a run returns the result of that run. Rejects with the
   * first error after all else is done.
   */
  run(onAttempt: (message: StoredMessage, outcome: Outcome) => void): Promise<Notified> {
    this.#running ??= this.#run(onAttempt).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #run(onAttempt: (message: StoredMessage, outcome: Outcome) => void): Promise<Notified> {
    const { thread, reads, senders, files, now } = this.#parts
    const result = { composed: 0, sent: 0, failed: 0 }
    const errors: unknown[] = []
    // A failure to make some messages must not keep others from being made and sent.
    const count = (step: Promise<number>): Promise<void> =>
      step.then(
        (composed) => {
          result.composed += composed
        },
        (error) => {
          errors.push(error)
        },
      )
    if ((await reads.subscriptions()).length > 0) {
      await count(thread.run('find', undefined))
      await count(this.#scheduleFiles())
      await this.#forget()
    }
    if ((await reads.messageCounts()).waiting > 0) {
      const delivery = {
        ...{ notices: this.#writes, senders, now },
        fileOf: makeFile.bind(null, files),
        onAttempt(message: StoredMessage, outcome: Outcome) {
          if (outcome.as === 'sent') result.sent++
          else result.failed++
          onAttempt(message, outcome)
        },
      }
      await deliver(delivery, this.#stopping.signal)
    }
    if (errors.length > 0) throw errors[0]
    return result
  }

  async #scheduleFiles(): Promise<number> {
    const { reads, files, now } = this.#parts
    const damages = new Damages()
    const all = inUse(await reads.subscriptions(), damages)
    const ofFiles = [...ofKind(all, 'report'), ...ofKind(all, 'backup')]
    const composed = await scheduleFiles(ofFiles, {
      damages,
      reads,
      writes: this.#writes,
      isSettled: (subscription, period) => isSettled(files.reports, subscription, period),
      async hashOf(message, subscription) {
        const file = await makeFile(files, message, subscription)
        await file.remove()
        return file.hash ?? ''
      },
      now: now(),
    })
    damages.throwFirst()
    return composed
  }

  /** Once a day. */
  async #forget(): Promise<void> {
    const now = this.#parts.now()
    const today = utcDayOf(now)
    if (today === this.#forgottenDay) return
    await this.#writes.forgetNotices(now - KEPT_DAYS * millisecondsInDay, today - KEPT_DAYS)
    this.#forgottenDay = today
  }

  /** Stops sending. Unfinished messages are left to the next run, in this process or another. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running?.catch(() => {})
    await Promise.all(Object.values(this.#parts.senders).map((sender) => sender?.close()))
  }
}
