import type { DescriptionSettings } from '../../src/report/device-days.ts'
import { SETTINGS } from '../rollup/shard-fixture.ts'

/** The settings by which tests describe days, with the default limits of exceptions. */
export const DESCRIPTION: DescriptionSettings = {
  ...SETTINGS,
  exceptions: { offHours: 4, warmAboveSet: 4, warmAbove: 10, silentHours: 24 },
}
