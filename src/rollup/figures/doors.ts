import { type DeviceDay, Door } from '../../summary/device-day.ts'
import type { Figure } from './figure.ts'

/** Whether each report of a door counts, or only one that changes the state held (`COOLER_DOOR_COUNT`). */
export type DoorCount = 'events' | 'changes'

/** `openCloseNum`: an open and a close count one each, a `count` counts as many. */
export class Doors implements Figure {
  readonly #changesOnly: boolean
  #held: number = Door.unknown
  #doors = 0

  constructor(doorCount: DoorCount) {
    this.#changesOnly = doorCount === 'changes'
  }

  resume(before: DeviceDay | null): void {
    this.#held = before === null ? Door.unknown : before.door
  }

  startDay(): void {
    this.#doors = 0
  }

  state(open: boolean): void {
    const reported = open ? Door.open : Door.closed
    if (reported !== this.#held || !this.#changesOnly) this.#doors++
    this.#held = reported
  }

  count(doors: number): void {
    this.#doors += doors
  }

  finishDay(into: DeviceDay): void {
    into.doors = this.#doors
    into.door = this.#held
  }
}
