import { FIGURE_NAMES, FIGURES } from '../../rollup/figures/figures.ts'
import type { FigureStatement } from '../../rollup/figures/statement.ts'
import type { ExportColumn } from './columns.ts'

/** The columns of the figures in both reports, in the order of the interface. */
export const FIGURE_COLUMNS: readonly ExportColumn[] = FIGURE_NAMES.map((name) => {
  const { kind, places, unit, meaning, nullWhen }: FigureStatement = FIGURES[name]
  return {
    name,
    kind,
    ...(kind === 'decimal' ? { places } : {}),
    required: nullWhen === undefined,
    width: Math.max(10, name.length + 2),
    unit,
    meaning,
    empty: nullWhen ?? 'never: 0 where nothing is known',
    value: (entry) => entry[name],
  }
})
