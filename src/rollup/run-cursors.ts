import type { DayAsked } from '../store/archive.ts'
import { type DayEvents, placesOf } from './day-events.ts'
import type { DeviceCursor } from './device-cursor.ts'

/** A device and its cursor. */
export interface RunningCursor {
  device: number
  cursor: DeviceCursor
}

/** Called with the device of a cursor whose step failed, and with the error. */
export type OnFailure = (device: number, error: unknown) => void

type Cursors = readonly RunningCursor[]

/** Cursors that are given the same events. */
export interface CursorGroup {
  cursors: Cursors
  /** Returns the place of a device's cursor in the group, or UNWANTED. */
  placeOf: (device: number) => number
  /** Which events of a day they need; all if undefined. */
  which: DayAsked['which']
}

/** Groups cursors, ascending by device, by the events that they need. */
export function groupsOf(cursors: Cursors, shards: number): CursorGroup[] {
  const groupOf = (members: Cursors, which?: 'due'): CursorGroup => {
    const devices = members.map(({ device }) => device)
    return { cursors: members, placeOf: placesOf(devices, shards), which }
  }
  return [
    groupOf(cursors.filter(({ cursor }) => cursor.needsAllEvents)),
    groupOf(
      cursors.filter(({ cursor }) => !cursor.needsAllEvents),
      'due',
    ),
  ]
}

/** Returns the earliest instant whose events some cursor still needs, epoch ms; Infinity if none needs any. */
export const earliest = (cursors: Cursors): number =>
  cursors.reduce((least, { cursor }) => (cursor.done ? least : Math.min(least, cursor.at)), Infinity)

/** Advances each cursor to an instant (epoch ms). */
export async function advanceAll(cursors: Cursors, instant: number, onFailure: OnFailure): Promise<void> {
  for (const { device, cursor } of cursors) {
    const wait = cursor.advanceTo(instant)
    if (wait !== null) await goOn(wait, () => cursor.advanceTo(instant)).catch((error) => onFailure(device, error))
  }
}

/** Passes each cursor its device's events of one UTC day. */
export async function takeAll(
  cursors: Cursors,
  events: DayEvents,
  utcDay: number,
  onFailure: OnFailure,
): Promise<void> {
  const { starts } = events
  for (let place = 0; place < cursors.length; place++) {
    const { device, cursor } = cursors[place]
    const take = () => cursor.take(events, starts[place], starts[place + 1], utcDay)
    const wait = take()
    if (wait !== null) await goOn(wait, take).catch((error) => onFailure(device, error))
  }
}

/** Repeats a step of a cursor until it no longer waits. Most steps never wait, so they get no promise. */
async function goOn(first: Promise<void>, step: () => Promise<void> | null): Promise<void> {
  for (let wait: Promise<void> | null = first; wait !== null; wait = step()) await wait
}
