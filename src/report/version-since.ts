import { CoolerError } from '../base/errors.ts'
import { isBefore } from '../store/report-version.ts'
import type { RollupReads } from '../store/rollup-store.ts'

/**
 * Returns the version of what is read.
 *
 * @throws CoolerError `store-behind` if it is before `since`, as on a replica that is behind
 */
export async function versionSince(
  rollups: Pick<RollupReads, 'reportVersion'>,
  { since }: { since?: string },
): Promise<string> {
  const version = await rollups.reportVersion()
  requireSince(version, since)
  return version
}

/** Refuses a version before `since`. @throws CoolerError `store-behind` */
export function requireSince(version: string, since: string | undefined): void {
  if (since === undefined || !isBefore(version, since)) return
  throw new CoolerError(
    'store-behind',
    `the store is at version ${version}, not yet at ${since}: try again, unless that version is of another store`,
  )
}
