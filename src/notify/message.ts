import type { ExceptionName } from '../base/exceptions.ts'
import type { Cause } from '../store/revision.ts'

/** An exception of a device-day, as a message reports it. */
export interface ExceptionItem {
  deviceId: string
  exception: ExceptionName
  /** `ended`: an earlier message reported the exception, and it no longer holds. */
  change: 'began' | 'ended'
  status: 'provisional' | 'settled' | 'revised'
  /** The value that is above its limit, both in `unit`; null for no-power-data, and where nothing was ever heard. */
  value: number | null
  limit: number | null
  unit: 'm' | 'h' | '°C' | null
  /** The first day (YYYYMMDD) of the days up to this one on which it held. */
  since: number
  timezone: string
  /** Address of the placement in force at the end of the day; null where none is known. */
  address: string | null
  /** Why a settled day was computed again, for a correction; else empty. */
  causes: Cause[]
  /** Id of the first message about the day, if this message corrects it; else null. */
  refersTo: string | null
}

/** Reports the exceptions of a day, or how they have changed since earlier messages. */
export interface ExceptionMessage {
  type: 'exceptions'
  /** Local day, YYYYMMDD. */
  day: number
  /** Whether the subscription has had an earlier message about the day. */
  isCorrection: boolean
  /** In the order of exceptions, then of ids. */
  items: ExceptionItem[]
}

/** Announces a file, which the channel delivers or links to. */
export interface FileMessage {
  type: 'file'
  kind: 'report' | 'backup'
  /** The period, YYYYMMDD, both included. */
  fromDay: number
  toDay: number
  /** 1 for the first; more where days of the period were revised since. */
  version: number
  /** Name with its ending, such as `route-12-20261129.v2.xlsx`. */
  name: string
  /** Content type. */
  mediaType: string
}

/** A message that somebody requested in order to test the channel. */
export interface TestMessage {
  type: 'test'
}

export type MessageBody = ExceptionMessage | FileMessage | TestMessage

/** A message in the outbox. Its id stays the same however often it is sent. */
export interface Message {
  /** `msg_` and 26 letters and digits. */
  id: string
  subscription: string
  /** Epoch ms. */
  createdAt: number
  body: MessageBody
}
