import { Readable } from 'node:stream'
import type { Threads } from '../../base/threads.ts'
import type { ReportTasks } from '../report-thread.ts'

/** Streams a file that a thread makes. The next piece is made only when the stream has room for it. */
export class ExportStream extends Readable {
  readonly #threads: Threads<ReportTasks>
  readonly #session: number
  readonly #onClose: () => void
  #isMade = false
  #digest: string | null = null

  constructor(threads: Threads<ReportTasks>, session: number, onClose: () => void) {
    super()
    this.#threads = threads
    this.#session = session
    this.#onClose = onClose
  }

  /** The digest of the figures of a report (FiguresDigest); null until all of it was made, and for other files. */
  get digest(): string | null {
    return this.#digest
  }

  override _read(): void {
    this.#pieces().catch((error: Error) => this.destroy(error))
  }

  /** Asks until a piece has bytes, because a format may buffer many entries before it writes anything. */
  async #pieces(): Promise<void> {
    for (let isTaken = false; !isTaken && !this.destroyed; ) {
      const { bytes, isLast, digest = null } = await this.#threads.run('exportNext', this.#session)
      this.#isMade = isLast
      this.#digest = digest
      if (this.destroyed) return
      if (bytes.length > 0) {
        this.push(bytes)
        isTaken = true
      }
      if (isLast) {
        this.push(null)
        return
      }
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onClose()
    // An error is ignored: a thread that is gone has forgotten the file, too.
    if (!this.#isMade) this.#threads.run('exportEnd', this.#session).catch(() => {})
    done(error)
  }
}
