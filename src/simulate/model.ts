import type { Random } from './random.ts'

/** What a make of cooler sends, and how. */
export interface Model {
  /** Of 100 coolers, how many are of this model. */
  sharePercent: number
  /** Each change of the door, or how many there were. */
  doors: 'states' | 'counts'
  /** Visitors since the last report, or a running total. */
  visitors: 'counts' | 'total'
  /** `at` as epoch ms, or as RFC 3339 text in UTC or with the local offset. */
  clock: 'milliseconds' | 'utc' | 'local'
  /** Whether events carry `seq`. */
  numbered: boolean
  /** Whether a fix carries the address of the shop. */
  addressed: boolean
  /** Every so many temperature readings tell the setpoint too. */
  setpointEvery: number
  /** Degrees Celsius that it may be set to. */
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

/** The shares add up to 100. */
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

/** Degrees Celsius in halves, within what the model may be set to. */
export function drawSetpoint({ coldest, warmest }: Model, random: Random): number {
  return coldest + random.below(2 * (warmest - coldest) + 1) / 2
}
