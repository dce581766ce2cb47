import { parseDay } from '../../src/base/time.ts'
import type { Config } from '../../src/config/config.ts'
import type { MessageBody } from '../../src/notify/message.ts'
import { newMessageId } from '../../src/notify/message-id.ts'
import type { Subscription } from '../../src/notify/subscription.ts'
import type { NewMessage, NoticeStore } from '../../src/store/notices.ts'
import { openStore } from '../../src/store/open-store.ts'
import { digest, FILE, item, REPORT, SUBSCRIPTION } from '../notify/example-messages.ts'

/** The service whose store is written to, past it, as workers do. */
type Of = { config: Pick<Config, 'store' | 'rejectsKept'> }

async function writing<Result>({ config }: Of, write: (notices: NoticeStore) => Promise<Result>): Promise<Result> {
  const store = await openStore({ location: config.store, rejectsKept: config.rejectsKept })
  try {
    return await write(store.notices)
  } finally {
    await store.close()
  }
}

/** Stores a message, created `second` seconds after another instant; returns its id. */
export async function composeMessage(
  service: Of,
  body: MessageBody,
  { subscription = 'route-12', second = 0, id = newMessageId(Date.now() + second) } = {},
): Promise<string> {
  const day = parseDay(20261120) as number
  const about = { id, subscription, type: body.type, day, toDay: day, version: second + 1 }
  const message: NewMessage = {
    ...about,
    ...{ createdAt: Date.UTC(2026, 10, 21) + second * 1000, body: JSON.stringify(body), hash: null },
  }
  if (!(await writing(service, (notices) => notices.compose([message], [])))) throw new Error('it is there already')
  return id
}

/** Stores a digest, a correction, a report and a backup. */
export async function composeOfEachType(service: Of): Promise<void> {
  await composeMessage(
    service,
    digest([item(), item({ deviceId: 'CLR-2', exception: 'moved', value: 512, unit: 'm' })]),
  )
  const ended = item({ change: 'ended', status: 'revised', causes: ['late-events'], refersTo: 'msg_1' })
  await composeMessage(service, digest([ended], true), { second: 1 })
  await composeMessage(service, FILE, { subscription: 'monthly' })
  await composeMessage(service, { ...FILE, kind: 'backup' }, { subscription: 'nightly' })
}

const SUBSCRIPTIONS: readonly Subscription[] = [
  SUBSCRIPTION,
  {
    ...{ id: 'night', kind: 'exceptions', exceptions: { warm: {}, silent: {} }, when: 'provisional', language: 'zh' },
    channel: { type: 'webhook', url: 'https://example.org/hooks/coolers', format: 'slack' },
    devices: { prefix: 'CLR-', labels: { route: '12', customer: 'A' }, ids: ['CLR-1'], timezone: 'Europe/Berlin' },
    quiet: { from: '20:00', to: '06:00', timezone: 'device' },
    atMostEveryMinutes: 60,
  },
  { ...REPORT, enabled: false },
  {
    ...{ id: 'nightly', kind: 'backup', every: 'day', at: '03:00', timezone: 'UTC', keep: 7 },
    channel: { type: 's3', bucket: 'cooler-reports', prefix: 'backups' },
  },
]

/** Stores a subscription of each kind: in use, off and ended. */
export async function putSubscriptions(service: Of): Promise<void> {
  await writing(service, async (notices) => {
    for (const one of SUBSCRIPTIONS) await notices.putSubscription(one.id, JSON.stringify(one), Date.now())
    await notices.endSubscription('night', 'the receiver answered 410: it wants no more')
  })
}

/** Records that a message was given up. */
export const fail = (service: Of, id: string, error = 'the receiver answered 503'): Promise<void> =>
  writing(service, (notices) => {
    const now = Date.now()
    return notices.attempted({ id, state: 'failed', nextAt: now, now, error })
  })

/** Ends a subscription. */
export const end = (service: Of, id: string, why: string): Promise<void> =>
  writing(service, (notices) => notices.endSubscription(id, why))
