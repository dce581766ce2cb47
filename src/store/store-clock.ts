/** The one clock of all who use a store. */
export interface StoreClock {
  /** Returns the time, epoch ms. */
  now(): number
}

/** The clock of the machine, which is that of a store in a file. */
export const MACHINE_CLOCK: StoreClock = { now: () => Date.now() }

/** How long a reading of a server's clock is good for: the clocks of two machines drift by some ms in that time. */
const RENEW_MS = 60_000

/**
 * Follows the clock of a server: its last reading plus the time that has passed since by a clock that nobody can set.
 * Each minute in which it is used, it is read again; while the server is away, the last reading counts on.
 */
export class ServerClock implements StoreClock {
  readonly #read: () => Promise<number>
  /** The server's time minus performance.now(). */
  #offset = 0
  #readAt = -Infinity
  #isReading = false

  private constructor(read: () => Promise<number>) {
    this.#read = read
  }

  /** Makes a clock from what returns the server's time (epoch ms), and reads it once. */
  static async start(read: () => Promise<number>): Promise<ServerClock> {
    const clock = new ServerClock(read)
    await clock.#renew()
    return clock
  }

  now(): number {
    const now = performance.now()
    if (now - this.#readAt > RENEW_MS && !this.#isReading) {
      this.#isReading = true
      this.#renew()
        .catch(() => {})
        .finally(() => {
          this.#isReading = false
        })
    }
    return Math.round(now + this.#offset)
  }

  /** The server read its clock half-way between the question and the answer, as far as anybody knows. */
  async #renew(): Promise<void> {
    const asked = performance.now()
    this.#readAt = asked
    const time = await this.#read()
    this.#offset = time - (asked + performance.now()) / 2
  }
}
