import { millisecondsInHour } from '../base/time.ts'
import { decodeMessage } from './codec/message-codec.ts'
import type { MessageHead, StoredMessage } from './notices.ts'

/** A row of the table `message` without its body, in either engine. */
export type HeadRow = Omit<MessageHead, 'isStale'> & { isStale: number }

/** A row of the table `message`. */
export type MessageRow = HeadRow & { body: Buffer }

/** Returns the message of a row without its body. */
export const headOfRow = (row: HeadRow): MessageHead => ({ ...row, isStale: row.isStale !== 0 })

/** Returns the message of a row. @throws CoolerError `store-damaged` */
export const messageOfRow = (row: MessageRow): StoredMessage => ({
  ...headOfRow(row),
  body: decodeMessage(row.body, row.id),
})

/** A claim that ends later than this, in milliseconds from now, was made by a clock that was ahead: it is ignored. */
export const LONGEST_CLAIM_MS = millisecondsInHour

/** A next attempt later than this, in milliseconds from now, was set by a clock that was ahead: it is due now. */
export const LONGEST_PAUSE_MS = 48 * millisecondsInHour
