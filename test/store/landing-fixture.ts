import { EventBatch } from '../../src/event/event-batch.ts'
import { Kind, NO_SEQ } from '../../src/event/event-columns.ts'
import type { Placement } from '../../src/event/placement.ts'
import type { Store } from '../../src/store/open-store.ts'

export const DAY_MS = 86_400_000
export const LANDED_AT = Date.parse('2024-05-11T00:00:00Z')
export const UTC_DAY = 19_853
export const MIDNIGHT = UTC_DAY * DAY_MS

/** A group of visitor counts: of device `id`, `count` at `at`. */
export function visitors(...events: readonly [id: string, at: number, count: number][]): EventBatch {
  const batch = new EventBatch()
  for (const [id, at, count] of events) batch.add(id, at, NO_SEQ, Kind.visitorCount, count, 0)
  return batch
}

/** Adds a placement of device `id` at MIDNIGHT. */
export function place(batch: EventBatch, id: string, lat = 0): void {
  batch.placements.push({
    device: batch.deviceIndex(id),
    at: MIDNIGHT,
    seq: NO_SEQ,
    lat,
    lon: 0,
    zone: '',
    address: null,
  })
}

export const placementAt = (at: number, more: Partial<Placement> = {}): Placement => {
  return { at, seq: NO_SEQ, lat: 10, lon: 20, zone: '', address: null, ...more }
}

/** Lands placements of device `id`. */
export function landPlacements(store: Store, id: string, ...placements: readonly Placement[]): Promise<void> {
  const batch = new EventBatch()
  for (const placement of placements) batch.placements.push({ ...placement, device: batch.deviceIndex(id) })
  return store.landing.land(batch, LANDED_AT)
}
