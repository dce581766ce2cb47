import { tzOffset } from '@date-fns/tz'
import { millisecondsInDay, millisecondsInHour, millisecondsInMinute, utcDayOf } from './time.ts'

/** Names that ICU takes for a zone though IANA has none such: `BST` would be Dhaka, `IST` Calcutta, `PST` a guess. */
const ICU_ONLY =
  /^(ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

/** Most texts remembered, so that names made up by a sender cannot fill the memory. */
const MOST_REMEMBERED = 10_000

/** By name in canonical letter case: whether the runtime has that zone. */
const known = new Map<string, boolean>()

/**
 * Returns the IANA time zone name that a text spells, in IANA's own letter case; null where this runtime's time zone
 * database has no such name. Offsets like `+02:00` are not names. Any spelling of a zone becomes one name, so that the
 * store and every cache hold it once.
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

/** Parts of names whose letter case follows no rule. */
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

/** The text in the letter case that IANA gives its names; Intl ignores letter case, but does not tell the right one. */
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

/** The offsets of one UTC day: `before` until the instant `changeAt`, `after` from it on. Milliseconds east of UTC. */
interface DayOffsets {
  before: number
  after: number
  changeAt: number
}

const zones = new Map<string, Zone>()

/** Returns the zone of a name, in any letter case; offsets and day starts that were found are shared by all callers. */
export function zoneOf(text: string): Zone {
  const known = zones.get(text)
  if (known !== undefined) return known
  // Stores of earlier versions keep names in the letter case in which they came.
  const name = zoneName(text) ?? text
  const zone = zones.get(name) ?? new Zone(name)
  zones.set(name, zone)
  return zone
}

/**
 * Wall clocks of one IANA zone. The clock of a zone is instant + offset; where it is set back, some readings come
 * twice, and where it is set forward some never come: so every question here is "the first instant at which the clock
 * reads at least this".
 */
export class Zone {
  readonly name: string
  readonly #offsets = new Map<number, DayOffsets>()
  readonly #dayStarts = new Map<number, number>()

  constructor(name: string) {
    this.name = name
  }

  /** Milliseconds that the zone's clock is ahead of UTC at an instant. */
  offsetAt(instant: number): number {
    const offsets = this.#offsetsOf(utcDayOf(instant))
    return instant < offsets.changeAt ? offsets.before : offsets.after
  }

  /** The first instant of a local date (epoch day); of a date that the zone skips, that of the next date. */
  startOfDay(epochDay: number): number {
    let start = this.#dayStarts.get(epochDay)
    if (start === undefined) {
      start = this.firstInstantAt(epochDay * millisecondsInDay)
      this.#dayStarts.set(epochDay, start)
    }
    return start
  }

  /** The local date (epoch day) under way at an instant: the latest one whose first instant has come. */
  dayAt(instant: number): number {
    let day = Math.floor((instant + this.offsetAt(instant)) / millisecondsInDay)
    // Where the clock runs back over midnight it shows the old date again, though the new day has begun; and at the
    // midnight after a skipped date two dates begin at once.
    while (this.startOfDay(day + 1) <= instant) day++
    return day
  }

  /**
   * The first instant, not before `from`, at which the clock reads `wallMs` (milliseconds since 1970-01-01T00:00 of
   * that clock) or later.
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

  /** At most one change of clocks a UTC day: since 2000, the earliest instant that an event may have, no zone had two. */
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
