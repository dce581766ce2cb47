import type { City } from './city.ts'
import type { Random } from './random.ts'

const METERS_A_DEGREE = 111_195

/** Degrees, with 6 decimals (11 cm). */
export interface Position {
  latitude: number
  longitude: number
}

/** Draws a position in the city, up to about 10 km from its centre on each axis. */
export function drawHome(city: City, random: Random): Position {
  return near(city, random.normal() * 3000, random.normal() * 3000)
}

/** Draws where thieves or a mistaken driver left a cooler: 2 to 40 km north or south, up to 20 km east or west. */
export function drawAway(home: Position, random: Random): Position {
  const north = random.between(2000, 40_000) * (random.chance(0.5) ? 1 : -1)
  return near(home, north, random.between(-20_000, 20_000))
}

/** Returns the position that a receiver measures, with 6 m of noise on each axis. */
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

/** Returns the cosine of a latitude within 0.2 %. Not `Math.cos`, whose last digit may differ between engines. */
function shrinkOfMeridians(latitude: number): number {
  const square = (latitude / 90) * (latitude / 90)
  return 1 - square * (1.2337 - square * (0.2537 - square * 0.0202))
}
