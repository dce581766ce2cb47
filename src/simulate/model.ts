import type { Random } from './random.ts'

/** What a model of cooler sends, and in which form. */
export interface Model {
  /** Percentage of coolers that are of this model. */
  sharePercent: number
  /** Whether the cooler reports each change of the door, or the number of changes. */
  doors: 'states' | 'counts'
  /** Whether the cooler reports the visitors since the last report, or a running total. */
  visitors: 'counts' | 'total'
  /** `at` as epoch ms, or as RFC 3339 text in UTC or with the local offset. */
  clock: 'milliseconds' | 'utc' | 'local'
  /** Whether events carry `seq`. */
  numbered: boolean
  /** Whether a fix carries the address of the shop. */
  addressed: boolean
  /** Every n-th temperature reading includes the setpoint. */
  setpointEvery: number
  /** Range of the setpoint in degrees Celsius. */
  coldest: number
  warmest: number
}

const upright: Model = {
  sharePercent: 35,
  doors: 'states',
  visitors: 'counts',
  clock: 'milliseconds',
  numbered: false,
  addressed: false,
  setpointEvery: 1,
  coldest: 2,
  warmest: 7,
}

/** The simulated models. Their shares add up to 100. */
export const MODELS: readonly Model[] = [
  upright,
  { ...upright, sharePercent: 25, numbered: true, addressed: true },
  { ...upright, sharePercent: 15, visitors: 'total', numbered: true },
  { ...upright, sharePercent: 10, doors: 'counts', clock: 'utc', coldest: -22, warmest: -16 },
  { ...upright, sharePercent: 10, doors: 'counts', setpointEvery: 4, addressed: true },
  { ...upright, sharePercent: 5, visitors: 'total', clock: 'local', setpointEvery: 4 },
]

/** Draws a model of cooler. */
export function drawModel(random: Random): Model {
  let draw = random.below(100)
  for (const model of MODELS) {
    if (draw < model.sharePercent) return model
    draw -= model.sharePercent
  }
  return upright
}

/** Draws a setpoint in half degrees Celsius, within the range of the model. */
export function drawSetpoint({ coldest, warmest }: Model, random: Random): number {
  return coldest + random.below(2 * (warmest - coldest) + 1) / 2
}
