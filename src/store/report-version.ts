/**
 * Returns the version of everything that a report may show: two counters, of rollup commits and of registry changes, which
 * never decrease. Servers with the same state of a store have the same version.
 */
export const reportVersion = (rollups: number, registry: number): string => `${rollups}.${registry}`

/** What a version looks like. */
export const REPORT_VERSION = /^\d{1,15}\.\d{1,15}$/

/** Tells whether a state of a store lacks anything that another one has, by their versions. */
export function isBefore(version: string, other: string): boolean {
  const [counts, wanted] = [version, other].map((text) => text.split('.').map(Number))
  return wanted.some((count, nth) => counts[nth] < count)
}
