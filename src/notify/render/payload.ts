import { formatInstant } from '../../base/time.ts'
import type { Message, MessageBody } from '../message.ts'
import type { DeliveredFile, Links } from '../sender.ts'
import type { Subscription } from '../subscription.ts'
import { countsOf } from './counts.ts'
import { type Describing, describe } from './described.ts'

/** Types of events, as payloads name them. */
export const PAYLOAD_TYPES = [
  'exceptions.digest',
  'exceptions.correction',
  'report.ready',
  'backup.ready',
  'test',
] as const
export type PayloadType = (typeof PAYLOAD_TYPES)[number]

/** The payload of a message, as Standard Webhooks has it. */
export interface Payload {
  type: PayloadType
  /** When the message was made, RFC 3339. The same in each attempt. */
  timestamp: string
  data: Record<string, unknown>
}

/** Returns the payload of a message, with all of it as plain fields. */
export function payloadOf(describing: Describing, file: DeliveredFile | null): Payload {
  const { message, subscription, links } = describing
  const { title } = describe(describing, 0)
  return {
    type: typeOf(message.body),
    timestamp: formatInstant(message.createdAt),
    data: { id: message.id, subscription: subscription.id, title, ...dataOf(message, subscription, links, file) },
  }
}

function typeOf(body: MessageBody): PayloadType {
  if (body.type === 'test') return 'test'
  if (body.type === 'file') return `${body.kind}.ready`
  return body.isCorrection ? 'exceptions.correction' : 'exceptions.digest'
}

function dataOf({ body }: Message, subscription: Subscription, links: Links | null, file: DeliveredFile | null) {
  if (body.type === 'test') return {}
  if (body.type === 'exceptions') {
    const { day, items } = body
    return {
      day,
      counts: countsOf(items),
      link: links?.fleet(day, null) ?? null,
      items: items.map((item) => ({ ...item, link: links?.day(item.deviceId, day) ?? null })),
    }
  }
  const { fromDay, toDay, version, name, mediaType } = body
  const link = links?.file(body, subscription) ?? null
  return { fromDay, toDay, version, name, mediaType, bytes: file?.bytes ?? null, link }
}
