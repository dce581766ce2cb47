import { formatInstant } from '../base/time.ts'
import { Kind, NO_SEQ, totalOf } from '../event/event-columns.ts'
import { keptValues } from '../event/kept-values.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from '../rollup/figures/figures.ts'
import { hasRestarted } from '../rollup/figures/visitors.ts'
import type { TracedReading, TracedReadings } from './day-trace.ts'
import { POWER_NAMES, type Reading } from './explanation.ts'

/** Extremes of the day in 1/1000 degree; null if it has no `celsius` reading. */
export interface Extremes {
  min: number | null
  max: number | null
}

/** Returns the extremes of the readings that the folds counted. */
export function extremesOf(readings: TracedReadings): Extremes {
  const extremes: Extremes = { min: null, max: null }
  for (const { celsius } of readings) {
    if (celsius === null) continue
    extremes.min = Math.min(extremes.min ?? celsius, celsius)
    extremes.max = Math.max(extremes.max ?? celsius, celsius)
  }
  return extremes
}

/** Returns the figures that a reading concerns: for a repeat those of its original, for a spike those that omit it. */
export function figuresOf(reading: TracedReading, { min, max }: Extremes): FigureName[] {
  const { celsius } = reading
  const original = reading.repeatOf ?? reading
  return FIGURE_NAMES.filter((name) => {
    const { origin, reading: kind } = FIGURES[name]
    if (origin === 'highest') return celsius !== null && celsius === max
    if (origin === 'lowest') return celsius !== null && celsius === min
    if (kind === 'fix') return original.kind === Kind.fix
    return original[kind] !== null || (kind === 'power' && reading.endsSilence)
  })
}

/** Returns a reading in the form of the API, with decoded values and only the fields that apply. */
export function readingBody(reading: TracedReading, figures: FigureName[]): Reading {
  const { at, seq, kind, a, b } = reading
  return {
    at: formatInstant(at),
    ...(seq === NO_SEQ ? {} : { seq }),
    ...keptValues(kind, a, b),
    figures,
    ...(reading.repeatOf === null ? {} : { repeat: true }),
    ...countsOf(reading),
    ...(reading.power === null ? {} : { state: POWER_NAMES[reading.power] }),
    ...(reading.contrary ? { contrary: true } : {}),
    ...(reading.endsSilence ? { endsSilence: true } : {}),
    ...(reading.deviationMm === null ? {} : { deviationMeters: reading.deviationMm / 1000 }),
    ...(reading.spike ? { spike: true } : {}),
  }
}

function countsOf(reading: TracedReading): Partial<Reading> {
  const counts = reading.visitors ?? reading.doors
  if (counts === null) return {}
  const { lastTotal } = reading
  if (lastTotal === null) return { counts }
  return {
    counts,
    totalBefore: lastTotal < 0 ? null : lastTotal,
    ...(isRestart(reading) ? { restarted: true } : {}),
  }
}

/** Tells whether the reading is a running total that has restarted from 0. */
export const isRestart = ({ lastTotal, a, b }: TracedReading): boolean =>
  lastTotal !== null && lastTotal >= 0 && hasRestarted(lastTotal, totalOf(a, b))
