import { formatInstant } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import { FIGURE_NAMES, FIGURES } from '../rollup/figures/figures.ts'
import type { FigureStatement } from '../rollup/figures/statement.ts'
import { type DeviceDay, Power } from '../store/device-day.ts'
import { overlapMs, type Period } from './coverage.ts'
import type { DayTrace, TracedReadings } from './day-trace.ts'
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

/** What the readings of a day add up to. */
class ReadingSums {
  readonly visitors: Sum = { readings: 0, sum: 0 }
  readonly doors: Sum = { readings: 0, sum: 0 }
  readonly celsius: Sum = { readings: 0, sum: 0 }
  readonly setpoint: Sum = { readings: 0, sum: 0 }
  /** In millimetres, without spikes. */
  readonly fixes: Sum = { readings: 0, sum: 0 }
  power = 0
  restarts = 0
  spikes = 0
  /** When each extreme was first read, epoch ms. */
  readonly firstAt: { [Extreme in keyof Extremes]: number | null } = { min: null, max: null }

  constructor(readings: TracedReadings, { min, max }: Extremes) {
    for (const reading of readings) {
      for (const name of ['visitors', 'doors', 'celsius', 'setpoint'] as const) addTo(this[name], reading[name])
      addTo(this.fixes, reading.spike ? null : reading.deviationMm)
      if (reading.power !== null) this.power++
      if (isRestart(reading)) this.restarts++
      if (reading.spike) this.spikes++
      if (reading.celsius === null) continue
      if (reading.celsius === min) this.firstAt.min ??= reading.at
      if (reading.celsius === max) this.firstAt.max ??= reading.at
    }
  }
}

function addTo(sum: Sum, value: number | null): void {
  if (value === null) return
  sum.readings++
  sum.sum += value
}

/** Returns the sources of each figure: how many readings count in it, and what they add up to. */
export function tracedSources({ readings, spans }: DayTrace, extremes: Extremes, daytime: Period): Sources {
  const sums = new ReadingSums(readings, extremes)
  const sumOf = ({ reading: name }: FigureStatement): Sum => sums[name as 'visitors' | 'doors' | 'celsius' | 'setpoint']
  const fixes = inMeters(sums.fixes)
  const on = spans.filter(({ state }) => state === Power.on)
  const onBy = {
    onMs: on.map(({ from, to }) => to - from),
    onDaytimeMs: on.map((span) => overlapMs(span, daytime)).filter((ms) => ms > 0),
  }
  const extreme = (of: keyof Extremes) => (figure: FigureStatement) => {
    const [value, at] = [extremes[of], sums.firstAt[of]]
    return {
      readings: sumOf(figure).readings,
      celsius: value === null ? null : value / 1000,
      at: at === null ? null : formatInstant(at),
    }
  }
  return sourcesBy({
    sum: (figure) => ({ ...sumOf(figure) }),
    counter: (figure) => ({ ...sumOf(figure), restarts: sums.restarts }),
    mean: (figure) => inCelsius(sumOf(figure)),
    highest: extreme('max'),
    lowest: extreme('min'),
    spans: ({ of }) => {
      const lengths = onBy[of as keyof typeof onBy]
      return { readings: sums.power, spans: lengths.length, sumSeconds: total(lengths) / 1000 }
    },
    fixes: () => ({ ...fixes, spikes: sums.spikes }),
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

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

const inCelsius = ({ readings, sum }: Sum) => ({ readings, sumCelsius: sum / 1000 })

const inMeters = ({ readings, sum }: Sum) => ({ readings, sumMeters: sum / 1000 })
