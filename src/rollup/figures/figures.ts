import type { Totals } from '../../store/totals.ts'
import { IS_FAR_OFF, MEAN_DEVIATION } from './distance.ts'
import { DOOR_EVENTS } from './doors.ts'
import { DAYTIME_HOURS_ON, HOURS_ON } from './power.ts'
import type { FigureStatement } from './statement.ts'
import { HIGHEST_TEMPERATURE, LOWEST_TEMPERATURE, MEAN_TEMPERATURE, SET_TEMPERATURE } from './temperature.ts'
import { VISITOR_COUNT } from './visitors.ts'

/** The figures by the names of the interface, in its order (INTERFACE.md 2.2). */
export const FIGURES = {
  visitorCount: VISITOR_COUNT,
  openCloseNum: DOOR_EVENTS,
  currTemp: MEAN_TEMPERATURE,
  setTemp: SET_TEMPERATURE,
  maxTemp: HIGHEST_TEMPERATURE,
  minTemp: LOWEST_TEMPERATURE,
  powerDuration: HOURS_ON,
  powerDayDuration: DAYTIME_HOURS_ON,
  distance: MEAN_DEVIATION,
  distanceMore: IS_FAR_OFF,
} as const satisfies Record<string, FigureStatement>

export type FigureName = keyof typeof FIGURES

export const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[]

/** Tells whether a value names a figure. */
export const isFigureName = (text: unknown): text is FigureName => FIGURE_NAMES.some((name) => name === text)

type ValueOf<Statement extends FigureStatement> = Statement['kind'] extends 'flag'
  ? 0 | 1
  : ReturnType<Statement['finalise']>

/** The figures of a day or a range. Temperatures in degrees Celsius, durations in hours, distance in metres. */
export type Figures = { [Name in FigureName]: ValueOf<(typeof FIGURES)[Name]> }

const STATEMENTS: readonly [FigureName, FigureStatement][] = FIGURE_NAMES.map((name) => [name, FIGURES[name]])

/** Returns the figures of the device whose totals begin at `place`. */
export function finalise(totals: Totals, place: number): Figures {
  const figures: Partial<Record<FigureName, number | null>> = {}
  for (const [name, { places, finalise: scaledFigure }] of STATEMENTS) {
    const scaled = scaledFigure(totals, place)
    figures[name] = scaled === null ? null : scaled / 10 ** places
  }
  return figures as Figures
}
