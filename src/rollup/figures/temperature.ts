import { ABSENT } from '../../event/event-columns.ts'
import type { DeviceDay } from '../../store/device-day.ts'
import type { FoldTrace } from '../fold-trace.ts'
import type { Figure } from './figure.ts'
import { extreme, mean } from './statement.ts'

const READING = { reading: 'celsius', unit: '°C', nullWhen: 'without a temperature reading' } as const

export const MEAN_TEMPERATURE = mean('celsiusSum', 'celsiusCount', {
  ...READING,
  origin: 'mean',
  meaning: 'mean of all temperature readings',
  example: 3.41,
  heading: 'mean °C',
  importance: 8,
})

export const SET_TEMPERATURE = mean('setpointSum', 'setpointCount', {
  reading: 'setpoint',
  origin: 'mean',
  unit: '°C',
  nullWhen: 'without a report of the set temperature',
  meaning: 'mean of all set temperatures that were reported',
  example: 4,
  heading: 'set °C',
  importance: 3,
})

export const HIGHEST_TEMPERATURE = extreme('celsiusMax', 'celsiusCount', {
  ...READING,
  origin: 'highest',
  meaning: 'highest temperature reading',
  example: 5.2,
  heading: 'max °C',
  importance: 5,
})

export const LOWEST_TEMPERATURE = extreme('celsiusMin', 'celsiusCount', {
  ...READING,
  origin: 'lowest',
  meaning: 'lowest temperature reading',
  example: 2.75,
  heading: 'min °C',
  importance: 5,
})

/** Keeps the sums, counts and extremes of readings, in 1/1000 degree. */
export class Temperature implements Figure {
  readonly #trace: FoldTrace | null
  #celsiusSum = 0
  #celsiusCount = 0
  #celsiusMin = 0
  #celsiusMax = 0
  #setpointSum = 0
  #setpointCount = 0

  constructor(trace: FoldTrace | null) {
    this.#trace = trace
  }

  // No temperature is carried over to the next day.
  resume(): void {}

  startDay(): void {
    this.#celsiusSum = this.#celsiusCount = this.#celsiusMin = this.#celsiusMax = 0
    this.#setpointSum = this.#setpointCount = 0
  }

  resumeDay(rollup: DeviceDay): void {
    this.#celsiusSum = rollup.celsiusSum
    this.#celsiusCount = rollup.celsiusCount
    this.#celsiusMin = rollup.celsiusMin
    this.#celsiusMax = rollup.celsiusMax
    this.#setpointSum = rollup.setpointSum
    this.#setpointCount = rollup.setpointCount
  }

  reading(celsius: number, setpoint: number): void {
    if (celsius !== ABSENT) {
      if (this.#celsiusCount === 0 || celsius < this.#celsiusMin) this.#celsiusMin = celsius
      if (this.#celsiusCount === 0 || celsius > this.#celsiusMax) this.#celsiusMax = celsius
      this.#celsiusSum += celsius
      this.#celsiusCount++
      this.#trace?.celsius(celsius)
    }
    if (setpoint !== ABSENT) {
      this.#setpointSum += setpoint
      this.#setpointCount++
      this.#trace?.setpoint(setpoint)
    }
  }

  finishDay(into: DeviceDay): void {
    into.celsiusSum = this.#celsiusSum
    into.celsiusCount = this.#celsiusCount
    into.celsiusMin = this.#celsiusMin
    into.celsiusMax = this.#celsiusMax
    into.setpointSum = this.#setpointSum
    into.setpointCount = this.#setpointCount
  }
}
