import { tzOffset } from '@date-fns/tz'
import { millisecondsInDay, millisecondsInHour, millisecondsInMinute, utcDayOf } from './time.ts'

/** Names that ICU accepts although they are not IANA zones: `BST` would be Dhaka, `IST` Calcutta, `PST` a guess. */
const ICU_ONLY =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

/** Most names remembered, so that names invented by a sender cannot fill the memory. */
const MOST_REMEMBERED = 10_000

/** Whether the runtime has a zone, by name in canonical letter case. */
const known = new Map<string, boolean>()

/**
 * Returns the IANA time zone name for a text in any letter case, or null if this runtime's time zone database does not
 * have it. Offsets like `+02:00` are not names. The result is in IANA's letter case, so that the store and every cache
 * hold each name once.
 */
export function zoneName(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(text)) return null
  const name = inCanonicalCase(text)
  let valid = known.get(name)
  if (valid === undefined) {
    valid = !ICU_ONLY.test(name) && accepted(name)
    if (known.size < MOST_REMEMBERED) known.set(name, valid)
  }
  return valid ? name : null
}

const UPPER_CASE =
  /^(act|lhi|nsw|gmt|utc|uct|cet|cst6cdt|eet|est|est5edt|gb|hst|met|mst|mst7mdt|nz|nz-chat|prc|pst8pdt|roc|rok|us|wet|w-su|gmt[+-]?\d+)$/

/** Parts of names whose letter case is irregular. */
const IRREGULAR: Readonly<Record<string, string>> = {
  bajanorte: 'BajaNorte',
  bajasur: 'BajaSur',
  comodrivadavia: 'ComodRivadavia',
  denoronha: 'DeNoronha',
  dumontdurville: 'DumontDUrville',
  easterisland: 'EasterIsland',
  'gb-eire': 'GB-Eire',
  knox_in: 'Knox_IN',
  mcmurdo: 'McMurdo',
}

/** Words within a name that are not capitalised, as in `Port_of_Spain`. */
const SMALL_WORDS: readonly string[] = ['of', 'es', 'au']

/** Returns the text in IANA's letter case. Intl ignores letter case and does not report the canonical one. */
const inCanonicalCase = (text: string): string => text.toLowerCase().split('/').map(partInCanonicalCase).join('/')

function partInCanonicalCase(part: string): string {
  if (UPPER_CASE.test(part)) return part.toUpperCase()
  const capitalised = (word: string): string =>
    SMALL_WORDS.includes(word) ? word : word.slice(0, 1).toUpperCase() + word.slice(1)
  return Object.hasOwn(IRREGULAR, part) ? IRREGULAR[part] : part.replace(/[^_-]+/g, capitalised)
}

function accepted(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Offsets of one UTC day, in milliseconds east of UTC: `before` up to the instant `changeAt`, `after` from then on. */
interface DayOffsets {
  before: number
  after: number
  changeAt: number
}

const zones = new Map<string, Zone>()

/** Returns the zone of a name in any letter case. All callers share it, with its cached offsets and day starts. */
export function zoneOf(text: string): Zone {
  const known = zones.get(text)
  if (known !== undefined) return known
  // Stores of earlier versions hold names in the letter case in which they arrived.
  const name = zoneName(text) ?? text
  const zone = zones.get(name) ?? new Zone(name)
  zones.set(name, zone)
  return zone
}

/**
 * The wall clock of one IANA zone: instant + offset. When the clock is set back, some readings occur twice; when it is
 * set forward, some never occur. Readings are therefore mapped to "the first instant at which the clock reads at least
 * this".
 */
export class Zone {
  readonly name: string
  readonly #offsets = new Map<number, DayOffsets>()
  readonly #dayStarts = new Map<number, number>()

  constructor(name: string) {
    this.name = name
  }

  /** Returns how far the zone's clock is ahead of UTC at an instant, in milliseconds. */
  offsetAt(instant: number): number {
    const offsets = this.#offsetsOf(utcDayOf(instant))
    return instant < offsets.changeAt ? offsets.before : offsets.after
  }

  /** Returns the first instant of a local date (epoch day). A date that the zone skips starts with the next date. */
  startOfDay(epochDay: number): number {
    let start = this.#dayStarts.get(epochDay)
    if (start === undefined) {
      start = this.firstInstantAt(epochDay * millisecondsInDay)
      this.#dayStarts.set(epochDay, start)
    }
    return start
  }

  /** Returns the local date (epoch day) of an instant: the latest date that has started by then. */
  dayAt(instant: number): number {
    let day = Math.floor((instant + this.offsetAt(instant)) / millisecondsInDay)
    // If the clock is set back over midnight it shows the old date again, although the new day has begun. After a
    // skipped date, two dates begin at the same midnight.
    while (this.startOfDay(day + 1) <= instant) day++
    return day
  }

  /**
   * Returns the first instant, not before `from`, at which the clock reads `wallMs` or later. `wallMs` is milliseconds
   * since 1970-01-01T00:00 of that clock.
   */
  firstInstantAt(wallMs: number, from = -Infinity): number {
    for (let utcDay = utcDayOf(Math.max(from, wallMs - 26 * millisecondsInHour)); ; utcDay++) {
      const { before, after, changeAt } = this.#offsetsOf(utcDay)
      const start = Math.max(from, utcDay * millisecondsInDay)
      const end = (utcDay + 1) * millisecondsInDay
      const early = Math.max(start, wallMs - before)
      if (early < Math.min(changeAt, end)) return early
      const late = Math.max(start, changeAt, wallMs - after)
      if (late < end) return late
    }
  }

  /** Assumes at most one clock change a UTC day: no zone has had two since 2000, the earliest instant of an event. */
  #offsetsOf(utcDay: number): DayOffsets {
    let offsets = this.#offsets.get(utcDay)
    if (!offsets) {
      const before = this.#lookUp(utcDay * millisecondsInDay)
      const after = this.#lookUp((utcDay + 1) * millisecondsInDay - 1)
      offsets = { before, after, changeAt: before === after ? Infinity : this.#findChange(utcDay, before) }
      this.#offsets.set(utcDay, offsets)
    }
    return offsets
  }

  #findChange(utcDay: number, before: number): number {
    let low = utcDay * millisecondsInDay
    let high = low + millisecondsInDay - 1
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.#lookUp(middle) === before) low = middle
      else high = middle
    }
    return high
  }

  #lookUp(instant: number): number {
    return tzOffset(this.name, new Date(instant)) * millisecondsInMinute
  }
}
