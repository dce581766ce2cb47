/**
 * The version of all that a report may show: the number of commits of rollups and that of changes of the registry, each
 * of which only grows. It is the same on all servers that hold the same state of a store.
 */
export const reportVersion = (rollups: number, registry: number): string => `${rollups}.${registry}`

/** What a version looks like. */
export const REPORT_VERSION = /^\d{1,15}\.\d{1,15}$/

/** Tells whether a state of a store lacks anything that another one has, by their versions. */
export function isBefore(version: string, other: string): boolean {
  const [counts, wanted] = [version, other].map((text) => text.split('.').map(Number))
  return wanted.some((count, nth) => counts[nth] < count)
}
