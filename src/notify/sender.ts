import type { Channel, ChannelType } from './channel.ts'
import type { FileMessage, Message } from './message.ts'
import type { Language, Subscription } from './subscription.ts'

/** The file of a FileMessage, to be read any number of times. */
export interface DeliveredFile {
  /** Path of a file on this machine. */
  path: string
  bytes: number
}

/** Holds what one attempt to send a message needs. */
export interface Sending {
  message: Message
  subscription: Subscription
  language: Language
  /** The file of a FileMessage; null for other messages. */
  file: DeliveredFile | null
  signal: AbortSignal
}

/** The outcome of an attempt. */
export type Outcome =
  | { as: 'sent' }
  /** Tried again with growing pauses, not before `retryAfterMs`. `error` is one line without secrets. */
  | { as: 'failed'; error: string; retryAfterMs?: number }
  /** Will never succeed: not tried again unless somebody asks. */
  | { as: 'refused'; error: string }
  /** The receiver wants no more: the subscription ends. */
  | { as: 'gone'; error: string }

/** Sends messages of one type of channel. Never rejects: a failure is an outcome. */
export interface Sender {
  send(channel: Channel, sending: Sending): Promise<Outcome>
  close(): Promise<void>
}

/** The senders that the settings allow; null where a type needs settings that are missing. */
export type Senders = Readonly<Record<ChannelType, Sender | null>>

/** Builds links into the dashboard and the API; null where `COOLER_PUBLIC_URL` is not set. */
export interface Links {
  /** The list of the fleet of a day (YYYYMMDD), of those with an exception. */
  fleet(day: number, exception: string | null): string
  /** A day of a device. */
  day(deviceId: string, day: number): string
  /** The dashboard's view of subscriptions. */
  subscriptions(): string
  /** The file of a report, to be fetched with a key. */
  file(message: FileMessage, subscription: Subscription): string | null
}
