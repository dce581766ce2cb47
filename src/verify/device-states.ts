import { isDeepStrictEqual } from 'node:util'
import { millisecondsInDay } from '../base/time.ts'
import { type EventColumns, Kind, NO_SEQ } from '../event/event-columns.ts'
import { type DayEvents, UNWANTED } from '../rollup/day-events.ts'
import { laterFix } from '../rollup/seen-events.ts'
import type { DeviceState } from '../store/rollup-store.ts'
import type { DifferentFields } from './difference.ts'

/** Computes the states of some devices from all of their events, taken day after day. Devices are given by place. */
export class DeviceStates {
  readonly #states: (DeviceState | null)[]

  constructor(places: number) {
    this.#states = new Array<DeviceState | null>(places).fill(null)
  }

  /** Returns the state of a device; null if it has no events. */
  of(place: number): DeviceState | null {
    return this.#states[place]
  }

  /** Takes the events of one UTC day. Days must come in ascending order. */
  take(
    events: DayEvents,
    utcDay: number,
    segments: readonly EventColumns[],
    placeOf: (device: number) => number,
  ): void {
    const midnight = utcDay * millisecondsInDay
    for (let place = 0; place < this.#states.length; place++) this.#heard(place, events, midnight)
    for (const { device, at, seq, a, b, addresses } of segments) {
      for (const [row, address] of addresses ?? []) {
        const state = placeOf(device[row]) === UNWANTED ? null : this.#states[placeOf(device[row])]
        if (state === null) continue
        const fix = { at: midnight + at[row], seq: seq?.[row] ?? NO_SEQ, lat: a[row], lon: b[row], address }
        state.lastFix = laterFix(state.lastFix, fix)
      }
    }
  }

  #heard(place: number, events: DayEvents, midnight: number): void {
    const { starts, order, at } = events
    const [from, to] = [starts[place], starts[place + 1]]
    if (from === to) return
    const first = midnight + at[order[from]]
    const state = (this.#states[place] ??= { firstHeardAt: first, lastHeardAt: first, firstFix: null, lastFix: null })
    state.lastHeardAt = midnight + at[order[to - 1]]
    if (state.firstFix === null) {
      let index = from
      while (index < to && events.kind[order[index]] !== Kind.fix) index++
      if (index < to) state.firstFix = fixOf(events, order[index], midnight)
    }
    let index = to - 1
    while (index >= from && events.kind[order[index]] !== Kind.fix) index--
    if (index >= from) state.lastFix = { ...fixOf(events, order[index], midnight), address: null }
  }
}

const fixOf = ({ at, seq, a, b }: DayEvents, row: number, midnight: number) => ({
  at: midnight + at[row],
  seq: seq?.[row] ?? NO_SEQ,
  lat: a[row],
  lon: b[row],
})

const FIELDS = ['firstHeardAt', 'lastHeardAt', 'firstFix', 'lastFix'] as const satisfies readonly (keyof DeviceState)[]

/** Returns the fields in which two states differ (null stands for no state); null if they are the same. */
export function differentState(stored: DeviceState | null, computed: DeviceState | null): DifferentFields | null {
  const different = FIELDS.filter((field) => !isDeepStrictEqual(stored?.[field] ?? null, computed?.[field] ?? null))
  if (different.length === 0) return null
  return Object.fromEntries(
    different.map((field) => [field, { stored: stored?.[field] ?? null, computed: computed?.[field] ?? null }]),
  )
}
