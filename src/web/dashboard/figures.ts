/** The figures as the service defines them. */
export { FIGURE_NAMES, FIGURES, type FigureName, type Figures } from '../../rollup/figures/figures.ts'
