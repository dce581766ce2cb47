import type { City } from './city.ts'
import type { Random } from './random.ts'

const METERS_A_DEGREE = 111_195

/** Degrees, with 6 decimals (11 cm). */
export interface Position {
  latitude: number
  longitude: number
}

/** Somewhere in the city, up to 10 km from its centre. */
export function drawHome(city: City, random: Random): Position {
  return near(city, random.normal() * 3000, random.normal() * 3000)
}

/** Where thieves or a mistaken driver left it: 2 to 40 km north or south, and some way east or west. */
export function drawAway(home: Position, random: Random): Position {
  const north = random.between(2000, 40_000) * (random.chance(0.5) ? 1 : -1)
  return near(home, north, random.between(-20_000, 20_000))
}

/** What a receiver there measures: 6 m of noise on each axis. */
export function measure(truth: Position, random: Random): Position {
  return near(truth, random.normal() * 6, random.normal() * 6)
}

function near({ latitude, longitude }: Position, northMeters: number, eastMeters: number): Position {
  const metersEast = METERS_A_DEGREE * shrinkOfMeridians(latitude)
  return {
    latitude: Math.round((latitude + northMeters / METERS_A_DEGREE) * 1e6) / 1e6,
    longitude: Math.round((longitude + eastMeters / metersEast) * 1e6) / 1e6,
  }
}

/** The cosine within 0.2 %, from multiplications only: `Math.cos` may differ between engines in its last digit. */
function shrinkOfMeridians(latitude: number): number {
  const square = (latitude / 90) * (latitude / 90)
  return 1 - square * (1.2337 - square * (0.2537 - square * 0.0202))
}
