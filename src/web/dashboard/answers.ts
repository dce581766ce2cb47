import type { Static } from '../../base/typebox.ts'
import type { DEVICE } from '../api/schema/device.ts'
import type { DEVICE_DAYS } from '../api/schema/device-days.ts'
import type { REJECTS, REPLAYED } from '../api/schema/reject.ts'
import type { STATUS } from '../api/schema/status.ts'
import type { Figures } from './figures.ts'

export type {
  CarriedState,
  DayStatus,
  Explanation,
  Origin,
  OriginSources,
  PowerSpan,
  Reading,
} from '../../explain/explanation.ts'

/** An entry of the daily report. */
export type DailyEntry = { assertId: string } & Figures

/** An entry of the summary. */
export type SummaryEntry = DailyEntry & { location: string | null; address: string | null; throwinDate: string | null }

export type DeviceDaysAnswer = Static<typeof DEVICE_DAYS>
export type DeviceAnswer = Static<typeof DEVICE>
export type RejectsAnswer = Static<typeof REJECTS>
export type Reject = RejectsAnswer['rejects'][number]
export type ReplayAnswer = Static<typeof REPLAYED>

/** The state of the pipeline. Further fields, from a newer service, are shown under their own names. */
export type StatusAnswer = Static<typeof STATUS> & { [further: string]: unknown }
