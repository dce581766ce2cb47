import { roundedQuotient } from '../../base/rounding.ts'
import type { StatisticName } from '../../store/statistics.ts'
import { AT, type Totals } from '../../store/totals.ts'

/** All that is stated of a figure: reports, exports, the API's document and the command line follow from it. */
export interface FigureStatement {
  kind: 'count' | 'decimal' | 'flag'
  /** At most so many digits after the point. */
  places: number
  unit: string
  /** Half a sentence that begins in lower case, without a stop. */
  meaning: string
  /** When it is null; a figure without this never is. */
  nullWhen?: string
  /** Set where the figure is never negative. */
  minimum?: 0
  example: number
  /** The readings that it comes from, as the folds tell of them (fold-trace.ts), and what they make: explanations go by it. */
  reading: 'visitors' | 'doors' | 'celsius' | 'setpoint' | 'power' | 'fix'
  origin: 'sum' | 'counter' | 'mean' | 'highest' | 'lowest' | 'spans' | 'fixes' | 'flag'
  /** The statistics that it is finalised from: a sum, span or extreme, and how many readings that has. */
  of: StatisticName
  readings?: StatisticName
  /** The head of its column on the command line, and how important the column is where there is no room for all: 9 most. */
  heading: string
  importance: number
  /** Returns the figure times 10^places, rounded once from the exact totals (RULES.md 5); null without a reading. */
  finalise(totals: Totals, place: number): number | null
}

type Stated = Pick<FigureStatement, 'meaning' | 'example' | 'heading' | 'importance'>
type Told = Pick<FigureStatement, 'reading' | 'origin'>

/** States a figure that is a statistic, unchanged. */
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

/** States a figure that is the mean of readings kept in thousandths, to 2 decimals. */
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

/** States a figure that is one reading, kept in thousandths, to 2 decimals. */
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

/** States a figure that is a span kept in ms, in hours to 4 decimals: 360 ms are 0.0001 h. */
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

/** States a flag: 1 where the unrounded mean is above `limit`, in the unit of the sum; else 0, also without a reading. */
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
