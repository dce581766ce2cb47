/** Mean Earth radius of the IUGG (R1), in millimetres. */
const EARTH_RADIUS_MM = 6_371_008_800

const radians = (e7: number): number => (e7 / 1e7) * (Math.PI / 180)

/**
 * Returns the great-circle distance between two positions (in 1e-7 degree) in whole millimetres, by the haversine
 * formula. It stays precise for near points, where the cosine formula gives NaN.
 * Source: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68 (1984), 159.
 */
export function distanceMm(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const sinLat = Math.sin(radians(lat2 - lat1) / 2)
  const sinLon = Math.sin(radians(lon2 - lon1) / 2)
  const h = sinLat * sinLat + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * sinLon * sinLon
  return Math.floor(2 * EARTH_RADIUS_MM * Math.asin(Math.min(1, Math.sqrt(h))) + 0.5)
}
