import { integer, nullable, number } from '../../base/schema-fields.ts'
import { type TUnsafe, Type } from '../../base/typebox.ts'
import { FIGURE_NAMES, FIGURES, type FigureName, type Figures } from './figures.ts'
import type { FigureStatement } from './statement.ts'

/** Returns the schema of each figure, its description beginning with `when`. */
export const figures = (when: 'of the day' | 'of the range' | 'of all of them together') =>
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, figure(FIGURES[name], when)])) as {
    [Name in FigureName]: TUnsafe<Figures[Name]>
  }

function figure({ kind, places, unit, meaning, nullWhen, minimum, example }: FigureStatement, when: string) {
  const rounding = places === 0 ? '' : ` At most ${places} decimals.`
  const described = `${when.charAt(0).toUpperCase()}${when.slice(1)}: ${meaning}.${rounding}`
  const limits = { ...(minimum === undefined ? {} : { minimum }), ...(kind === 'flag' ? { enum: [0, 1] } : {}) }
  const make = kind === 'decimal' ? number : integer
  const schema = make(described, kind === 'flag' ? 'none' : unit, example, limits)
  return nullWhen === undefined ? Type.Unsafe(schema) : nullable(schema, nullWhen)
}
