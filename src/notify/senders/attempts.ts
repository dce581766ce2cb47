import { setMaxListeners } from 'node:events'
import { seenText } from '../../base/id-text.ts'
import type { Outcome } from '../sender.ts'

/** Most characters of an error. */
const MOST_ERROR = 300

/** Attempts to send something, each within a time limit, which end when their sender closes. */
export class Attempts {
  readonly #limitMs: number
  readonly #running = new Map<Promise<Outcome>, AbortController>()
  #isClosed = false

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /**
   * Makes an attempt. `make` is given a signal that ends it: when the time is up, when `signal` does, or when these are
   * closed. What it throws is a failure. Never rejects.
   */
  async run(signal: AbortSignal, make: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const stop = new AbortController()
    const running = this.#attempt(signal, stop, make)
    this.#running.set(running, stop)
    const outcome = await running
    this.#running.delete(running)
    return outcome
  }

  /** Ends all attempts, and makes no more; resolves when they have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#running.values()) stop.abort(stopped())
    await Promise.all(this.#running.keys())
  }

  async #attempt(
    signal: AbortSignal,
    stop: AbortController,
    make: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    const onAbort = (): void => stop.abort(stopped())
    const onTimeout = (): void => stop.abort(new Error(`no answer within ${this.#limitMs / 1000} s`))
    const timer = setTimeout(onTimeout, this.#limitMs)
    setMaxListeners(0, signal) // Many attempts may share it.
    signal.addEventListener('abort', onAbort)
    if (signal.aborted || this.#isClosed) onAbort()
    try {
      stop.signal.throwIfAborted()
      return await make(stop.signal)
    } catch (error) {
      return { as: 'failed', error: errorLine(stop.signal.aborted ? stop.signal.reason : error) }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

const stopped = (): Error => new Error('stopped before it was sent')

/** Returns the message of an error as one line, without `secrets`. */
export function errorLine(error: unknown, secrets: readonly string[] = []): string {
  const { code, message } = error as NodeJS.ErrnoException
  // If several addresses were tried, the message of the AggregateError is empty.
  const text = message || code || 'unknown error'
  const clean = secrets.filter((one) => one !== '').reduce((line, one) => line.replaceAll(one, '…'), text)
  return seenText(clean.replace(/\s+/g, ' ').trim().slice(0, MOST_ERROR))
}
