import { createHash } from 'node:crypto'
import { tzOffset } from '@date-fns/tz'
import { millisecondsInDay } from './time.ts'

/** Time zone data of a runtime. */
export interface ZoneData {
  /** Release of its time zone database, such as `2025c`; '' if the runtime does not report it. */
  version: string
  /** Returns a number that changes whenever a zone's clock does; `zone` is an IANA name. */
  fingerprintOf(zone: string): number
}

/** The time zone data of this process. */
export const RUNTIME_ZONES: ZoneData = { version: process.versions.tz ?? '', fingerprintOf: clockFingerprint }

/** Tells whether one release of the time zone database is older than another. An unknown release ('') is the oldest. */
export const isOlderZoneData = (one: string, other: string): boolean => one < other

/** Returns the middle of the year of a release, in epoch ms, or null if the text does not name a release. */
export function releasedAbout(version: string): number | null {
  const [, year] = /^(\d{4})[a-z]+$/.exec(version) ?? []
  return year === undefined ? null : Date.UTC(Number(year), 6, 1)
}

/** The earliest instant of an event, and an instant after which the database only repeats its last rules. */
const FROM = Date.UTC(2000, 0, 1)
const TO = Date.UTC(2038, 0, 1)
/** Step of the search for clock changes. No zone has ever changed its clock twice within this time. */
const STEP_MS = 7 * millisecondsInDay

/** Returns a digest of all clock changes of a zone, 2000 to 2037: their instants and offsets. Takes about 10 ms. */
function clockFingerprint(zone: string): number {
  const offsetAt = (instant: number): number => tzOffset(zone, new Date(instant))
  const digest = createHash('sha256')
  let offset = offsetAt(FROM)
  digest.update(`${offset}`)
  for (let from = FROM; from < TO; from += STEP_MS) {
    const next = offsetAt(from + STEP_MS)
    if (next === offset) continue
    let [low, high] = [from, from + STEP_MS]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === offset) low = middle
      else high = middle
    }
    digest.update(` ${high} ${next}`)
    offset = next
  }
  return digest.digest().readUIntBE(0, 6)
}
