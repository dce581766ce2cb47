import type { Figures } from '../../src/rollup/figures/figures.ts'

/** The figures of a device without data. */
export const NO_FIGURES: Figures = {
  visitorCount: 0,
  openCloseNum: 0,
  currTemp: null,
  setTemp: null,
  maxTemp: null,
  minTemp: null,
  powerDuration: 0,
  powerDayDuration: 0,
  distance: null,
  distanceMore: 0,
}
