import { formatInstant } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import { FIGURE_NAMES, FIGURES } from '../rollup/figures/figures.ts'
import type { FigureStatement } from '../rollup/figures/statement.ts'
import { type DeviceDay, Power } from '../store/device-day.ts'
import { overlapMs, type Period } from './coverage.ts'
import type { DayTrace, TracedReading } from './day-trace.ts'
import type { Origin, OriginSources, Sources } from './explanation.ts'
import { type Extremes, isRestart } from './readings.ts'

const LIMIT_METERS = FLAGGED_MM / 1000

interface Sum {
  readings: number
  sum: number
}

/** Returns the sources of each figure, made by the maker for its origin. */
const sourcesBy = (makers: { [By in Origin]: (figure: FigureStatement) => OriginSources[By] }): Sources =>
  Object.fromEntries(FIGURE_NAMES.map((name) => [name, makers[FIGURES[name].origin](FIGURES[name])])) as Sources

/** Returns the sources of each figure: how many readings count in it, and what they add up to. */
export function tracedSources({ readings, spans }: DayTrace, { min, max }: Extremes, daytime: Period): Sources {
  const sumOf = ({ reading: name }: FigureStatement): Sum =>
    sumOver(readings, (reading) => reading[name as 'visitors' | 'doors' | 'celsius' | 'setpoint'])
  const fixes = inMeters(sumOver(readings, ({ spike, deviationMm }) => (spike ? null : deviationMm)))
  const power = readings.filter((reading) => reading.power !== null).length
  const on = spans.filter(({ state }) => state === Power.on)
  const onBy = {
    onMs: on.map(({ from, to }) => to - from),
    onDaytimeMs: on.map((span) => overlapMs(span, daytime)).filter((ms) => ms > 0),
  }
  const extreme = (value: number | null) => (figure: FigureStatement) => {
    const first = readings.find((reading) => value !== null && reading.celsius === value)
    return {
      readings: sumOf(figure).readings,
      celsius: value === null ? null : value / 1000,
      at: first ? formatInstant(first.at) : null,
    }
  }
  return sourcesBy({
    sum: sumOf,
    counter: (figure) => ({ ...sumOf(figure), restarts: readings.filter(isRestart).length }),
    mean: (figure) => inCelsius(sumOf(figure)),
    highest: extreme(max),
    lowest: extreme(min),
    spans: ({ of }) => {
      const lengths = onBy[of as keyof typeof onBy]
      return { readings: power, spans: lengths.length, sumSeconds: total(lengths) / 1000 }
    },
    fixes: () => ({ ...fixes, spikes: readings.filter(({ spike }) => spike).length }),
    flag: () => ({ ...fixes, limitMeters: LIMIT_METERS }),
  })
}

/** Returns the sources from the stored rollup alone, for a day whose events are not there. */
export function storedSources(row: DeviceDay): Sources {
  const sumOf = ({ of, readings }: FigureStatement): Sum => ({
    readings: readings === undefined ? 0 : row[readings],
    sum: row[of],
  })
  const extreme = (figure: FigureStatement) => {
    const { readings, sum } = sumOf(figure)
    return { readings, celsius: readings === 0 ? null : sum / 1000, at: null }
  }
  return sourcesBy({
    sum: ({ of }) => ({ readings: null, sum: row[of] }),
    counter: ({ of }) => ({ readings: null, sum: row[of], restarts: null }),
    mean: (figure) => inCelsius(sumOf(figure)),
    highest: extreme,
    lowest: extreme,
    spans: ({ of }) => ({ readings: null, spans: null, sumSeconds: row[of] / 1000 }),
    fixes: (figure) => ({ ...inMeters(sumOf(figure)), spikes: row.spikes }),
    flag: (figure) => ({ ...inMeters(sumOf(figure)), limitMeters: LIMIT_METERS }),
  })
}

function sumOver(readings: readonly TracedReading[], pick: (reading: TracedReading) => number | null): Sum {
  const sum = { readings: 0, sum: 0 }
  for (const reading of readings) {
    const value = pick(reading)
    if (value === null) continue
    sum.readings++
    sum.sum += value
  }
  return sum
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const inCelsius = ({ readings, sum }: Sum) => ({ readings, sumCelsius: sum / 1000 })

const inMeters = ({ readings, sum }: Sum) => ({ readings, sumMeters: sum / 1000 })
