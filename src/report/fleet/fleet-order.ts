import { isLabelKey } from '../../base/labels.ts'
import { FIGURE_NAMES, type FigureName } from '../../rollup/figures/figures.ts'

const FURTHER = ['id', 'hoursOff', 'hoursUnknown', 'lastHeardAt', 'exceptions'] as const

/** Stands before the key of a label where columns are named. */
export const LABEL_PREFIX = 'label:'

/** The column of a label. */
export type LabelOrder = `${typeof LABEL_PREFIX}${string}`

/** The columns by which a list of the fleet can be sorted. */
export type OrderName = FigureName | (typeof FURTHER)[number] | LabelOrder

/** Those of them that every fleet has. */
export const ORDER_NAMES = [...FURTHER, ...FIGURE_NAMES] as const

/** Tells whether a list can be sorted by a column. */
export const isOrderName = (text: string): text is OrderName =>
  (ORDER_NAMES as readonly string[]).includes(text) || labelKeyOf(text) !== null

/** Tells whether a column shows a label. */
export const isLabelOrder = (column: OrderName): column is LabelOrder => column.startsWith(LABEL_PREFIX)

/** Returns the key of the label that a column shows; null if it shows no label. */
export function labelKeyOf(column: string): string | null {
  const key = column.slice(LABEL_PREFIX.length)
  return column.startsWith(LABEL_PREFIX) && isLabelKey(key) ? key : null
}
