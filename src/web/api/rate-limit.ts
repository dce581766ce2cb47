import { isIPv6 } from 'node:net'

const MINUTE_MS = 60_000

/** Most callers remembered. The least recently seen is dropped first, because addresses can be forged without limit. */
const MOST_CALLERS = 10_000

/**
 * Limits the requests a minute of each caller: a minute's worth may come at once, then requests are allowed again at an
 * even rate. The clock is monotonic, so that nobody is locked out when the machine's clock is set back.
 */
export class RateLimit {
  readonly #intervalMs: number
  readonly #now: () => number
  /** The instant at which all requests of a caller will be paid for; the least recently seen caller first. */
  readonly #paidAt = new Map<string, number>()

  /** `now` returns monotonic milliseconds. */
  constructor(requestsPerMinute: number, now: () => number = () => performance.now()) {
    this.#intervalMs = MINUTE_MS / requestsPerMinute
    this.#now = now
  }

  /** Counts a request and returns 0. A request over the limit is not counted: returns the whole seconds to wait. */
  take(caller: string): number {
    const now = this.#now()
    const paidAt = Math.max(this.#paidAt.get(caller) ?? 0, now) + this.#intervalMs
    const waitMs = paidAt - now - MINUTE_MS
    // Sums of a fractional interval are slightly off.
    if (waitMs > 1e-6) return Math.ceil(waitMs / 1000)
    this.#paidAt.delete(caller)
    this.#paidAt.set(caller, paidAt)
    if (this.#paidAt.size > MOST_CALLERS) this.#paidAt.delete(this.#paidAt.keys().next().value as string)
    return 0
  }
}

/** Returns the part of an address that its owner cannot choose: for IPv6, the first 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head, tail = ''] = address.split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [left, right] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
