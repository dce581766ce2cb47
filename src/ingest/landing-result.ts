import type { Reason } from '../event/reasons.ts'

export interface Rejection {
  /** Position of the event in its batch, from 0; blank lines do not count. */
  index: number
  reason: Reason
}

/** How many events of a batch landed and how many were rejected. */
export interface LandingResult {
  landed: number
  rejected: number
  /** The first MAX_REJECTIONS rejected events. */
  rejections: Rejection[]
}

export const MAX_REJECTIONS = 100
