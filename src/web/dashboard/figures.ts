/** The figures as the service states them. The module that is served has their data alone (dashboard-server/routes.ts). */
export { FIGURE_NAMES, FIGURES, type FigureName, type Figures } from '../../rollup/figures/figures.ts'
