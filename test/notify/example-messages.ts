import { linksTo } from '../../src/notify/links.ts'
import type { ExceptionItem, ExceptionMessage, FileMessage, Message, MessageBody } from '../../src/notify/message.ts'
import type { Sending } from '../../src/notify/sender.ts'
import type { ExceptionSubscription, ReportSubscription } from '../../src/notify/subscription.ts'

export const LINKS = linksTo('https://coolers.example.org')

export const SUBSCRIPTION: ExceptionSubscription = {
  kind: 'exceptions',
  id: 'route-12',
  channel: { type: 'email', to: ['ops@example.org'] },
  exceptions: { off: {}, moved: {} },
  when: 'settled',
}

export const REPORT: ReportSubscription = {
  kind: 'report',
  id: 'weekly',
  channel: { type: 'email', to: ['ops@example.org'] },
  every: 'week',
  at: '06:30',
  timezone: 'Europe/Berlin',
  format: 'xlsx',
}

export const FILE: FileMessage = {
  type: 'file',
  kind: 'report',
  fromDay: 20261116,
  toDay: 20261122,
  version: 2,
  name: 'weekly-20261122.v2.xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

export const item = (changes: Partial<ExceptionItem> = {}): ExceptionItem => ({
  deviceId: 'CLR-1',
  exception: 'off',
  change: 'began',
  status: 'settled',
  value: 6.5,
  limit: 4,
  unit: 'h',
  since: 20261118,
  timezone: 'Europe/Berlin',
  address: 'Hauptstraße 1, Berlin',
  causes: [],
  refersTo: null,
  ...changes,
})

export const digest = (items: ExceptionItem[], isCorrection = false): ExceptionMessage => ({
  type: 'exceptions',
  day: 20261120,
  isCorrection,
  items,
})

/** Many items of two exceptions. */
export const many = (count: number): ExceptionItem[] =>
  Array.from({ length: count }, (_, index) => {
    const deviceId = `CLR-${index}`
    const isMoved = index < count / 2
    return item(isMoved ? { deviceId, exception: 'moved', value: 540, limit: 200, unit: 'm' } : { deviceId })
  })

export const messageOf = (body: MessageBody): Message => ({
  id: 'msg_abcdefghijklmnopqrstuvwxyz',
  subscription: SUBSCRIPTION.id,
  createdAt: 1_795_222_800_000,
  body,
})

/** What a sender is given of a message. */
export const sendingOf = (body: MessageBody = digest([item()]), changes: Partial<Sending> = {}): Sending => ({
  message: messageOf(body),
  subscription: SUBSCRIPTION,
  language: 'en',
  file: null,
  signal: new AbortController().signal,
  ...changes,
})
