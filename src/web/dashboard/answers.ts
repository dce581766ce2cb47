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

/** A device as the registry tells it. */
export interface DeviceAnswer {
  id: string
  registeredAt: string | null
  retiredAt: string | null
  firstHeardAt: string | null
  lastHeardAt: string | null
  placements: { at: string; lat: number; lon: number; timezone?: string; address?: string }[]
}

/** A rejected event; `raw` is cut where `rawBytes` tells that it was longer. */
export interface Reject {
  id: number
  rejectedAt: string
  reason: string
  raw: string
  rawBytes: number
}

export interface RejectsAnswer {
  rejects: Reject[]
  next: number | null
}

export interface ReplayAnswer {
  next: number | null
  accepted: number
  rejected: number
}

/** The state of the pipeline. What a newer service tells beside this is shown by its name. */
export interface StatusAnswer {
  queue: { waiting: number; active: number; delayed: number; failed: number } | null
  landed: number
  erased: number
  rejected: number
  rejectsDropped: number
  rejectedByReason: Record<string, number>
  devices: number
  dueSegments: number
  dueDevices: number
  lateDays: number
  lastRollupAt: string | null
  [further: string]: unknown
}
