import type { Reason } from '../event/reasons.ts'

export interface Rejection {
  /** Place of the event in its batch, from 0; blank lines do not count. */
  index: number
  reason: Reason
}

/** What became of a batch. */
export interface LandingResult {
  landed: number
  rejected: number
  /** The first MAX_REJECTIONS of them. */
  rejections: Rejection[]
}

export const MAX_REJECTIONS = 100
