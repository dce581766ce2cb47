import { formatInstant } from '../base/time.ts'
import { FLAGGED_MM } from '../rollup/figures/distance.ts'
import { type DeviceDay, Power } from '../store/device-day.ts'
import { overlapMs, type Span } from './coverage.ts'
import type { DayTrace, TracedReading } from './day-trace.ts'
import type { Sources } from './explanation.ts'
import { type Extremes, isRestart } from './readings.ts'

const LIMIT_METERS = FLAGGED_MM / 1000

interface Sum {
  readings: number
  sum: number
}

/** What each figure comes from: how many of the readings count in it, and what they add up to. */
export function tracedSources({ readings, spans }: DayTrace, { min, max }: Extremes, daytime: Span): Sources {
  const sumOf = (pick: (reading: TracedReading) => number | null): Sum => sumOver(readings, pick)
  const visitors = sumOf((reading) => reading.visitors)
  const celsius = sumOf((reading) => reading.celsius)
  const fixes = sumOf((reading) => (reading.spike ? null : reading.deviationMm))
  const power = readings.filter((reading) => reading.power !== null).length
  const on = spans.filter(({ state }) => state === Power.on)
  const onByDay = on.map((span) => overlapMs(span, daytime)).filter((ms) => ms > 0)
  const extreme = (value: number | null) => {
    const first = readings.find((reading) => value !== null && reading.celsius === value)
    return {
      readings: celsius.readings,
      celsius: value === null ? null : value / 1000,
      at: first ? formatInstant(first.at) : null,
    }
  }
  return {
    visitorCount: { ...visitors, restarts: readings.filter(isRestart).length },
    openCloseNum: sumOf((reading) => reading.doors),
    currTemp: inCelsius(celsius),
    setTemp: inCelsius(sumOf((reading) => reading.setpoint)),
    maxTemp: extreme(max),
    minTemp: extreme(min),
    powerDuration: { readings: power, spans: on.length, sumSeconds: total(on.map(({ from, to }) => to - from)) / 1000 },
    powerDayDuration: { readings: power, spans: onByDay.length, sumSeconds: total(onByDay) / 1000 },
    distance: { ...inMeters(fixes), spikes: readings.filter(({ spike }) => spike).length },
    distanceMore: { ...inMeters(fixes), limitMeters: LIMIT_METERS },
  }
}

/** The same from what is stored alone, of a day whose events are not there. */
export function storedSources(row: DeviceDay): Sources {
  const { celsiusCount, celsiusSum, celsiusMin, celsiusMax, distanceCount, distanceSumMm } = row
  const fixes = { readings: distanceCount, sum: distanceSumMm }
  const extreme = (value: number) => ({
    readings: celsiusCount,
    celsius: celsiusCount === 0 ? null : value / 1000,
    at: null,
  })
  return {
    visitorCount: { readings: null, sum: row.visitors, restarts: null },
    openCloseNum: { readings: null, sum: row.doors },
    currTemp: inCelsius({ readings: celsiusCount, sum: celsiusSum }),
    setTemp: inCelsius({ readings: row.setpointCount, sum: row.setpointSum }),
    maxTemp: extreme(celsiusMax),
    minTemp: extreme(celsiusMin),
    powerDuration: { readings: null, spans: null, sumSeconds: row.onMs / 1000 },
    powerDayDuration: { readings: null, spans: null, sumSeconds: row.onDaytimeMs / 1000 },
    distance: { ...inMeters(fixes), spikes: row.spikes },
    distanceMore: { ...inMeters(fixes), limitMeters: LIMIT_METERS },
  }
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
