/** The figures as the service defines them. The served module contains only their data (dashboard-server/routes.ts). */
export { FIGURE_NAMES, FIGURES, type FigureName, type Figures } from '../../rollup/figures/figures.ts'
