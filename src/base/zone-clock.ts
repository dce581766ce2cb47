import { createHash } from 'node:crypto'
import { tzOffset } from '@date-fns/tz'
import { millisecondsInDay } from './time.ts'

/** What a runtime knows of time zones. */
export interface ZoneData {
  /** Release of its time zone database, such as `2025c`; '' where the runtime does not report one. */
  version: string
  /** Returns a number that changes whenever a zone's clock does; `zone` is an IANA name. */
  fingerprintOf(zone: string): number
}

/** The time zone data of this process. */
export const RUNTIME_ZONES: ZoneData = { version: process.versions.tz ?? '', fingerprintOf: clockFingerprint }

/** Whether one release of the time zone database is older than another; an unknown one is older than any. */
export const isOlderZoneData = (one: string, other: string): boolean => one < other

/** Returns the middle of the year in which a release came out, epoch ms; null where a text is not one. */
export function releasedAbout(version: string): number | null {
  const [, year] = /^(\d{4})[a-z]+$/.exec(version) ?? []
  return year === undefined ? null : Date.UTC(Number(year), 6, 1)
}

/** The earliest instant that an event may have, and one beyond which the database only repeats its last rule. */
const FROM = Date.UTC(2000, 0, 1)
const TO = Date.UTC(2038, 0, 1)
/** No zone has ever changed its clock twice within so short a time. */
const STEP_MS = 7 * millisecondsInDay

/** Digests every change of a zone's clock from 2000 to 2037: its instant and the offset from then on. Takes some 10 ms. */
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
