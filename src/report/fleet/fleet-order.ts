import { FIGURE_NAMES, type FigureName } from '../../rollup/figures/figures.ts'

const FURTHER = ['id', 'hoursOff', 'hoursUnknown', 'lastHeardAt', 'exceptions'] as const

/** The columns by which a list of the fleet can be sorted. */
export type OrderName = FigureName | (typeof FURTHER)[number]

export const ORDER_NAMES: readonly OrderName[] = [...FURTHER, ...FIGURE_NAMES]
