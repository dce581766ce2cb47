import { isIPv6 } from 'node:net'

const MINUTE_MS = 60_000

/** Beyond so many callers those that called last the longest ago are forgotten: addresses are free to make up. */
const MOST_CALLERS = 10_000

/**
 * A limit of requests a minute for each caller: so many at once, then as many as a minute's even flow brings back. Its
 * clock is monotonic, so that nobody is locked out where the machine's clock is set back.
 */
export class RateLimit {
  readonly #intervalMs: number
  readonly #now: () => number
  /** For each caller the instant at which all of its requests have been paid for; the longest unheard of first. */
  readonly #paidAt = new Map<string, number>()

  /** `now`: monotonic milliseconds. */
  constructor(requestsPerMinute: number, now: () => number = () => performance.now()) {
    this.#intervalMs = MINUTE_MS / requestsPerMinute
    this.#now = now
  }

  /** Counts a request: gives 0, or where it is one too many, and not counted, the whole seconds to wait. */
  take(caller: string): number {
    const now = this.#now()
    const paidAt = Math.max(this.#paidAt.get(caller) ?? 0, now) + this.#intervalMs
    const waitMs = paidAt - now - MINUTE_MS
    // Sums of an interval that is no whole number are off by a little.
    if (waitMs > 1e-6) return Math.ceil(waitMs / 1000)
    this.#paidAt.delete(caller)
    this.#paidAt.set(caller, paidAt)
    if (this.#paidAt.size > MOST_CALLERS) this.#paidAt.delete(this.#paidAt.keys().next().value as string)
    return 0
  }
}

/** The part of an address that its owner cannot choose: of IPv6 the first 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head, tail = ''] = address.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [left, right] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
