import type { TelemetryEvent } from '../../src/event/telemetry-event.ts'

/** Events of one device on one day; the n-th counts 4^n visitors, so that a figure tells how often each was counted. */
export const EVENTS_OF_DEVICE = 8

const BASE = 4

interface Account {
  day: number
  acknowledged: boolean[]
}

/** How the figures of all devices compare with what was acknowledged. */
export interface Balance {
  sent: number
  acknowledged: number
  /** Acknowledged, and in no figure. */
  lost: number
  /** In a figure more than once. */
  doubled: number
  /** Not acknowledged, and in a figure all the same: the answer was lost, not the event. */
  landedUnanswered: number
  /** Devices of the first that were lost or doubled: their names tell who sent them. */
  wrong: string[]
}

/** What was sent to one store, and what of it was acknowledged. */
export class Ledger {
  /** How many events were acknowledged so far. */
  acknowledged = 0
  readonly #accounts = new Map<string, Account>()

  /** The events of a new device; `at` is epoch ms, `day` the day YYYYMMDD of that instant in UTC. */
  open(deviceId: string, day: number, at: number): TelemetryEvent[] {
    this.#accounts.set(deviceId, { day, acknowledged: new Array(EVENTS_OF_DEVICE).fill(false) })
    return Array.from({ length: EVENTS_OF_DEVICE }, (_, place) => ({
      deviceId,
      at: at + place * 1000,
      type: 'visitor',
      count: BASE ** place,
    }))
  }

  acknowledge(events: readonly TelemetryEvent[]): void {
    this.acknowledged += events.length
    for (const event of events) {
      const place = Math.round(Math.log((event as { count: number }).count) / Math.log(BASE))
      const account = this.#accounts.get(event.deviceId)
      if (account) account.acknowledged[place] = true
    }
  }

  get days(): number[] {
    return [...new Set([...this.#accounts.values()].map(({ day }) => day))].sort()
  }

  /** `visitors(day, device)` is the figure in the report, 0 where the device has no entry. */
  balance(visitors: (day: number, deviceId: string) => number): Balance {
    const balance = { sent: 0, acknowledged: 0, lost: 0, doubled: 0, landedUnanswered: 0, wrong: [] as string[] }
    for (const [deviceId, { day, acknowledged }] of this.#accounts) {
      const { lost, doubled } = balance
      let rest = visitors(day, deviceId)
      for (const isAcknowledged of acknowledged) {
        const times = rest % BASE
        rest = Math.floor(rest / BASE)
        balance.sent++
        if (isAcknowledged) balance.acknowledged++
        if (isAcknowledged && times === 0) balance.lost++
        if (times > 1) balance.doubled++
        if (!isAcknowledged && times === 1) balance.landedUnanswered++
      }
      if (rest > 0) balance.doubled++
      if ((balance.lost > lost || balance.doubled > doubled) && balance.wrong.length < 20)
        balance.wrong.push(`${deviceId} on ${day}: ${visitors(day, deviceId).toString(BASE)}`)
    }
    return balance
  }
}
