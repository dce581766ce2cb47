import { type DeviceDay, Door } from '../../store/device-day.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'
import { count } from './statement.ts'

export const DOOR_EVENTS = count('doors', {
  reading: 'doors',
  origin: 'sum',
  unit: 'door events',
  meaning: 'door events, an open and a close each counting one',
  example: 18,
  heading: 'doors',
  importance: 7,
})

/** Which door reports count (`COOLER_DOOR_COUNT`): all (`events`), or only those that change the state held. */
export type DoorCount = 'events' | 'changes'

/** Counts door events: one for each open or close, and n for a `count` of n. */
export class Doors implements Figure {
  readonly #changesOnly: boolean
  readonly #trace: FoldTrace | null
  #held: number = Door.unknown
  #doors = 0

  constructor(doorCount: DoorCount, trace: FoldTrace | null) {
    this.#changesOnly = doorCount === 'changes'
    this.#trace = trace
  }

  resume(before: DeviceDay | null): void {
    this.#held = before === null ? Door.unknown : before.door
  }

  startDay(): void {
    this.#doors = 0
  }

  resumeDay(rollup: DeviceDay): void {
    this.resume(rollup)
    this.#doors = rollup.doors
  }

  state(open: boolean): void {
    const reported = open ? Door.open : Door.closed
    const counted = reported !== this.#held || !this.#changesOnly ? 1 : 0
    this.#doors += counted
    this.#trace?.doors(counted)
    this.#held = reported
  }

  count(doors: number): void {
    this.#doors += doors
    this.#trace?.doors(doors)
  }

  finishDay(into: DeviceDay): void {
    into.doors = this.#doors
    into.door = this.#held
  }
}
