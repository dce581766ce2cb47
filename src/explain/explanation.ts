import type { FigureName, Figures } from '../rollup/figures/figures.ts'
import type { UnknownReason } from '../rollup/fold-trace.ts'

/** Readings of one page. */
export const READINGS_PAGE = { default: 100, most: 1000 } as const

/** Not closed yet; closed; closed and changed since by what came late. */
export type DayStatus = 'provisional' | 'settled' | 'revised'

/** States by the numbers that they are carried as (device-day.ts). */
export const POWER_NAMES = ['unknown', 'off', 'on'] as const
export const DOOR_NAMES = ['unknown', 'closed', 'open'] as const

export type PowerName = (typeof POWER_NAMES)[number]
export type DoorName = (typeof DOOR_NAMES)[number]

/**
 * What the stored figures of one device and local day come from. Instants are RFC 3339 texts in UTC, seconds and metres
 * have up to 3 decimals. Null is what is not known.
 */
export interface Explanation {
  deviceId: string
  /** YYYYMMDD. */
  day: number
  status: DayStatus
  /** The day is from `start` up to before `end`, its daytime likewise; null where the day is no longer in the calendar. */
  start: string
  end: string
  daytimeStart: string | null
  daytimeEnd: string | null
  /** From here on a change of the figures is a revision. */
  closesAt: string | null
  /** Time after it counts nothing; null where the day has not been rolled up. */
  asOf: string | null
  /** Zones in force during the day, and since when in it. */
  zones: { zone: string; from: string }[]
  /** Where the device was meant to stand during the day; its first fix stands in where it was never placed. */
  places: { lat: number; lon: number; by: 'placement' | 'first-fix'; from: string }[]
  /** As the daily report has them. */
  figures: Figures
  /** Whether the raw events still give what is stored; null where they are no longer there. */
  matches: boolean | null
  /** What they give instead; null where it is the same. All that follows explains these figures. */
  recomputed: Figures | null
  /** Raw events of the day have been deleted: readings, spans and what only they tell are null. */
  rawPurged: boolean
  /** Events of the day, repeats included, that have landed and wait for a rollup. */
  waiting: number
  /** The day is to be computed again, and why; null where it is not. */
  due: { causes: string[] } | null
  from: Sources
  coverage: Coverage
  carriedIn: CarriedState & { fromDay: number | null }
  carriedOut: CarriedState
  /** Distinct events of the day, repeats of them that were dropped, fixes that were left out. */
  events: number
  repeats: number
  spikes: number
  /** Rejected events of the day, by reason; those without a readable `at` by the time of their rejection. */
  rejects: Record<string, number>
  /** Earliest first; `figures` are those before the change, null where nothing was stored. */
  /** `figures` is null where nothing was stored, and where `figuresErased`. */
  revisions: {
    number: number
    revisedAt: string
    causes: string[]
    figures: Figures | null
    figuresErased: boolean
  }[]
  /** Power spans that begin in this page, in order; over all pages they tile the day. */
  spans: PowerSpan[] | null
  readings: Reading[] | null
  /** The cursor of the next page of readings; null at the end. */
  next: string | null
}

/** Per figure, how many readings count (repeats and spikes do not) and what they add up to. */
export interface Sources {
  /** `restarts`: totals at which the counter restarted. */
  visitorCount: { readings: number | null; sum: number; restarts: number | null }
  openCloseNum: { readings: number | null; sum: number }
  currTemp: { readings: number; sumCelsius: number }
  setTemp: { readings: number; sumCelsius: number }
  /** `at`: when the extreme was first reached. */
  maxTemp: { readings: number; celsius: number | null; at: string | null }
  minTemp: { readings: number; celsius: number | null; at: string | null }
  /** Readings are power events. */
  powerDuration: { readings: number | null; spans: number | null; sumSeconds: number }
  powerDayDuration: { readings: number | null; spans: number | null; sumSeconds: number }
  distance: { readings: number; sumMeters: number; spikes: number }
  distanceMore: { readings: number; sumMeters: number; limitMeters: number }
}

/** On, off and unknown add up to the length; unknown is what has not passed, too. */
export interface Coverage {
  lengthSeconds: number
  passedSeconds: number
  onSeconds: number
  offSeconds: number
  unknownSeconds: number
  unknownBecause: Record<UnknownReason, number> | null
  /** The same of the daytime. */
  daytime: {
    lengthSeconds: number
    passedSeconds: number
    onSeconds: number
    offSeconds: number | null
    unknownSeconds: number | null
  } | null
  /** Within the day, whatever the event; placements aside. */
  firstHeardAt: string | null
  lastHeardAt: string | null
  /**
   * The longest of the spans between neighbouring events (placements aside) that end in the day. The first one begins
   * when the device was last heard before the day, however long before (where it never was, with the day's first event);
   * the last one ends at as-of or at the day's end, whichever comes first.
   */
  longestSilence: { seconds: number; from: string; to: string } | null
}

/** What one day leaves to the next. */
export interface CarriedState {
  power: PowerName
  door: DoorName
  lastHeardAt: string | null
  visitorTotal: number | null
}

export interface PowerSpan {
  state: PowerName
  /** Of an unknown state. */
  why?: UnknownReason
  from: string
  to: string
  seconds: number
  daytimeSeconds: number
}

/** One event, in their order, and what it did; beside these its own kept values (`open`, `count`, `celsius`, ...). */
export interface Reading {
  at: string
  seq?: number
  type: string
  /** Figures that it concerns; an extreme only where it is one. */
  figures: FigureName[]
  /** The same event has come before: it counts nothing. */
  repeat?: true
  /** Visitors or doors that it added. */
  counts?: number
  /** Of a running total: the one before, null for none; and whether it has restarted since. */
  totalBefore?: number | null
  restarted?: true
  /** The power from here on; `contrary`: another event of the instant says otherwise, so the state stays. */
  state?: PowerName
  contrary?: true
  /** Heard again after more than the silence limit: the state of before holds again. */
  endsSilence?: true
  deviationMeters?: number
  /** A fix that is left out. */
  spike?: true
  [value: string]: unknown
}
