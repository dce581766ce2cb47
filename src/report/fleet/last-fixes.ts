import { plainDegrees } from '../../base/rounding.ts'
import { formatInstant, millisecondsInDay, utcDayOf } from '../../base/time.ts'
import { type EventColumns, Kind, NO_SEQ } from '../../event/event-columns.ts'
import type { LocalDay } from '../../rollup/local-day.ts'
import type { StoreView } from '../../store/view.ts'

/** A position fix: an RFC 3339 instant, and decimal degrees. */
export interface FixOfDay {
  at: string
  lat: number
  lon: number
}

interface Fix {
  at: number
  seq: number
  lat: number
  lon: number
}

interface Asked {
  device: number
  day: LocalDay
  /** Place in the answer. */
  nth: number
}

/** Finds the last fixes of device-days. */
export class LastFixes {
  readonly #view: Pick<StoreView, 'archive' | 'rollups'>

  constructor(view: Pick<StoreView, 'archive' | 'rollups'>) {
    this.#view = view
  }

  /**
   * Returns the last rolled-up fix of each device on its day, or null if there is none. A fix cannot be found once its raw
   * event is deleted or damaged. The latest fix of all is kept with the device; for earlier ones, raw events are read.
   */
  async of(devices: readonly number[], days: readonly (LocalDay | null)[]): Promise<(FixOfDay | null)[]> {
    const found = new Array<Fix | null>(devices.length).fill(null)
    const states = await this.#view.rollups.states(devices)
    const byShard = new Map<number, Asked[]>()
    for (const [nth, device] of devices.entries()) {
      const day = days[nth]
      const latest = states.get(device)?.lastFix ?? null
      if (day === null || latest === null || latest.at < day.start) continue
      if (latest.at < day.end) {
        found[nth] = latest
        continue
      }
      const shard = device % this.#view.archive.shards
      const asked = byShard.get(shard)
      if (asked) asked.push({ device, day, nth })
      else byShard.set(shard, [{ device, day, nth }])
    }
    for (const [shard, asked] of byShard) await this.#readShard(shard, asked, found)
    return found.map((fix) => fix && { at: formatInstant(fix.at), lat: degrees(fix.lat), lon: degrees(fix.lon) })
  }

  /** Reads the UTC days of the local days from the last one back, until each device has a fix. */
  async #readShard(shard: number, asked: readonly Asked[], found: (Fix | null)[]): Promise<void> {
    const first = Math.min(...asked.map(({ day }) => utcDayOf(day.start)))
    const last = Math.max(...asked.map(({ day }) => utcDayOf(day.end - 1)))
    for (let utcDay = last; utcDay >= first; utcDay--) {
      const open = asked.filter(
        ({ day, nth }) => found[nth] === null && utcDay <= utcDayOf(day.end - 1) && utcDay >= utcDayOf(day.start),
      )
      if (open.length === 0) continue
      const segments = await this.#view.archive.eventsOfDay(shard, utcDay, {
        devices: open.map(({ device }) => device),
        which: 'rolled-up',
        onDamaged: () => {},
      })
      const byDevice = new Map(open.map((one) => [one.device, one]))
      for (const segment of segments) takeFixes(segment, utcDay * millisecondsInDay, byDevice, found)
    }
  }
}

function takeFixes(
  { count, device, at, kind, a, b, seq }: EventColumns,
  midnight: number,
  asked: ReadonlyMap<number, Asked>,
  found: (Fix | null)[],
): void {
  for (let row = 0; row < count; row++) {
    if (kind[row] !== Kind.fix) continue
    const one = asked.get(device[row])
    if (one === undefined) continue
    const fix = { at: midnight + at[row], seq: seq?.[row] ?? NO_SEQ, lat: a[row], lon: b[row] }
    if (fix.at < one.day.start || fix.at >= one.day.end) continue
    const known = found[one.nth]
    if (known === null || isLater(fix, known)) found[one.nth] = fix
  }
}

/** Compares fixes by the order of events (RULES.md 2). */
const isLater = (one: Fix, other: Fix): boolean =>
  (one.at - other.at || one.seq - other.seq || one.lat - other.lat || one.lon - other.lon) > 0

/** Converts a coordinate from 1e-7 degree to degrees. */
export const degrees = (scaled: number): number => Number(plainDegrees(scaled))
