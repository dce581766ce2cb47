import { count, instant, nullable, number } from '../../base/schema-fields.ts'
import { type Static, type TObject, type TProperties, type TUnsafe, Type } from '../../base/typebox.ts'
import { FLAGGED_MM } from '../../rollup/figures/distance.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from '../../rollup/figures/figures.ts'
import type { FigureStatement } from '../../rollup/figures/statement.ts'

export const PURGED = 'where the raw events have been deleted'

const readings = count('Readings that count: repeats do not.', 'readings', 4)
const addedUp = ({ unit, example }: FigureStatement) => number('What they add up to.', unit, example)

const EXTREME = {
  readings,
  celsius: nullable(number('The extreme.', '°C', 5.2), 'without a reading'),
  at: nullable(instant('When it was first reached.', '2026-11-20T08:05:00.000Z'), `without a reading, and ${PURGED}`),
}

const FIXES = {
  readings: count('Fixes that count: repeats and spikes do not.', 'readings', 1),
  sumMeters: number('Sum of their distances, in steps of a millimetre.', 'metres', 12.08),
}

export type Origin = FigureStatement['origin']

/** The fields that describe a figure's readings and their sum, by origin; repeats and spikes are not counted. */
const FIELDS = {
  sum: (figure: FigureStatement) => ({ readings: nullable(readings, PURGED), sum: addedUp(figure) }),
  counter: (figure: FigureStatement) => ({
    readings: nullable(readings, PURGED),
    sum: addedUp(figure),
    restarts: nullable(
      count('Totals below nine tenths of the one before: the counter has restarted.', 'readings', 0),
      PURGED,
    ),
  }),
  mean: () => ({ readings, sumCelsius: number('Sum of these readings.', '°C', 13.64) }),
  highest: () => EXTREME,
  lowest: () => EXTREME,
  spans: () => ({
    readings: nullable(count('Power events that count: repeats do not.', 'readings', 1), PURGED),
    spans: nullable(count('Spans in which the power was on.', 'spans', 1), PURGED),
    sumSeconds: number('Sum of these spans.', 'seconds', 84_600),
  }),
  fixes: () => ({ ...FIXES, spikes: count('Fixes that were left out, since they cannot be.', 'readings', 0) }),
  flag: () => ({
    ...FIXES,
    limitMeters: number('Above this mean distance the flag is 1.', 'metres', FLAGGED_MM / 1000),
  }),
} satisfies { [By in Origin]: (figure: FigureStatement) => TProperties }

export type OriginSources = { [By in Origin]: Static<TObject<ReturnType<(typeof FIELDS)[By]>>> }

export type Sources = { [Name in FigureName]: OriginSources[(typeof FIGURES)[Name]['origin']] }

const sources = FIGURE_NAMES.map((name) => {
  const figure: FigureStatement = FIGURES[name]
  return [name, Type.Object(FIELDS[figure.origin](figure), { description: `Where \`${name}\` comes from.` })]
})

export const SOURCES: TUnsafe<Sources> = Type.Unsafe(
  Type.Object(Object.fromEntries(sources), {
    $id: 'Sources',
    description: 'For each figure, how many readings count and what they add up to.',
  }),
)
