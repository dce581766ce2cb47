import { formatDay, parseDay } from '../../src/base/time.ts'
import type { Store } from '../../src/store/open-store.ts'
import type { KeptRevision } from '../../src/store/revision.ts'
import { temporaryStore } from '../helpers/temporary-store.ts'
import { event, HOUR_MS, land, NOW, rollUp } from './shard-fixture.ts'

/** Of rollups after the first one. */
export const LATER = NOW + HOUR_MS
export const at = (instant: string): number => Date.parse(`2024-${instant}:00Z`)
export const fix = (instant: string, lat: number): object => event(instant, { type: 'gps', lat, lon: 10 })
export const placed = (instant: string, lat: number, timezone = 'UTC'): object =>
  event(instant, { type: 'placement', lat, lon: 10, timezone })

export const revisionsOn = ({ rollups }: Store, date: number, device = 0): Promise<KeptRevision[]> =>
  rollups.revisions(device, parseDay(date) as number)

/** The causes of all revisions from April to July, by date. */
export async function causesOf(store: Store): Promise<Record<number, string[]>> {
  const causes: Record<number, string[]> = {}
  for (let day = parseDay(20240401) as number; day < (parseDay(20240801) as number); day++) {
    for (const one of await store.rollups.revisions(0, day)) (causes[formatDay(day)] ??= []).push(one.causes.join(' '))
  }
  return causes
}

export async function rolledUp(...events: readonly object[]): Promise<Store> {
  const store = temporaryStore()
  await land(store, ...events)
  await rollUp(store)
  return store
}
