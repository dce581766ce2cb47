import { roundedQuotient } from '../../base/rounding.ts'
import type { StatisticName } from '../../store/statistics.ts'
import { AT, type Totals } from '../../store/totals.ts'

/** The definition of a figure, from which reports, exports, the API description and the command line are made. */
export interface FigureStatement {
  kind: 'count' | 'decimal' | 'flag'
  /** Most digits after the decimal point. */
  places: number
  unit: string
  /** A phrase that begins in lower case, without a full stop. */
  meaning: string
  /** When the figure is null; absent if it never is. */
  nullWhen?: string
  /** Set if the figure is never negative. */
  minimum?: 0
  example: number
  /** The readings that the figure comes from (see fold-trace.ts), and how it is made of them. Explanations use both. */
  reading: 'visitors' | 'doors' | 'celsius' | 'setpoint' | 'power' | 'fix'
  origin: 'sum' | 'counter' | 'mean' | 'highest' | 'lowest' | 'spans' | 'fixes' | 'flag'
  /** The statistics that the figure is finalised from: a sum, span or extreme, and its number of readings. */
  of: StatisticName
  readings?: StatisticName
  /** The column heading on the command line, and its importance (9 is most) if there is no room for all columns. */
  heading: string
  importance: number
  /** Returns the figure times 10^places, rounded once from the exact totals (RULES.md 5); null without a reading. */
  finalise(totals: Totals, place: number): number | null
}

type Stated = Pick<FigureStatement, 'meaning' | 'example' | 'heading' | 'importance'>
type Told = Pick<FigureStatement, 'reading' | 'origin'>

/** Defines a figure that is a statistic, unchanged. */
export const count = <const More extends Told>(of: StatisticName, stated: Stated & { unit: string } & More) =>
  ({
    ...stated,
    of,
    kind: 'count',
    places: 0,
    minimum: 0,
    finalise: (totals: Totals, place: number): number => totals[place + AT[of]],
  }) as const satisfies FigureStatement

type Measured = Stated & { unit: string; nullWhen: string; minimum?: 0 }

/** Defines a figure that is the mean of readings kept in thousandths, to 2 decimals. */
export const mean = <const More extends Told>(of: StatisticName, readings: StatisticName, stated: Measured & More) =>
  ({
    ...stated,
    of,
    readings,
    kind: 'decimal',
    places: 2,
    finalise: (totals: Totals, place: number): number | null => {
      const divisor = totals[place + AT[readings]]
      return divisor === 0 ? null : roundedQuotient(totals[place + AT[of]], divisor * 10)
    },
  }) as const satisfies FigureStatement

/** Defines a figure that is one reading, kept in thousandths, to 2 decimals. */
export const extreme = <const More extends Told>(of: StatisticName, readings: StatisticName, stated: Measured & More) =>
  ({
    ...stated,
    of,
    readings,
    kind: 'decimal',
    places: 2,
    finalise: (totals: Totals, place: number): number | null =>
      totals[place + AT[readings]] === 0 ? null : roundedQuotient(totals[place + AT[of]], 10),
  }) as const satisfies FigureStatement

/** Defines a figure that is a span kept in ms, in hours to 4 decimals: 360 ms are 0.0001 h. */
export const hours = (of: StatisticName, stated: Stated) =>
  ({
    ...stated,
    of,
    reading: 'power',
    origin: 'spans',
    kind: 'decimal',
    places: 4,
    unit: 'hours',
    minimum: 0,
    finalise: (totals: Totals, place: number): number => roundedQuotient(totals[place + AT[of]], 360),
  }) as const satisfies FigureStatement

/** Defines a flag: 1 if the unrounded mean is above `limit`, in the unit of the sum; else 0, also without a reading. */
export const flag = (of: StatisticName, readings: StatisticName, limit: number, stated: Stated) =>
  ({
    ...stated,
    of,
    readings,
    reading: 'fix',
    origin: 'flag',
    kind: 'flag',
    places: 0,
    unit: '0 or 1',
    finalise: (totals: Totals, place: number): number =>
      totals[place + AT[of]] > limit * totals[place + AT[readings]] ? 1 : 0,
  }) as const satisfies FigureStatement
