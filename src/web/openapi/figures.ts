import { FIGURE_NAMES, FIGURES, type FigureName } from '../../rollup/figures/figures.ts'
import type { FigureStatement } from '../../rollup/figures/statement.ts'
import { field, type Schema } from './schema.ts'

/** Returns the schema of each figure, its description beginning with `when`. */
export const figures = (when: 'of the day' | 'of the range'): Readonly<Record<FigureName, Schema>> =>
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure(FIGURES[name], when)])) as Record<FigureName, Schema>

function figure({ kind, places, unit, meaning, nullWhen, minimum, example }: FigureStatement, when: string): Schema {
  const rounding = places === 0 ? '' : ` At most ${places} decimals.`
  return field(kind === 'decimal' ? 'number' : 'integer', `${capitalised(when)}: ${meaning}.${rounding}`, {
    unit: kind === 'flag' ? 'none' : unit,
    nullWhen,
    example,
    ...(minimum === undefined ? {} : { minimum }),
    ...(kind === 'flag' ? { enum: [0, 1] } : {}),
  })
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
