import { CHECKED_ELSEWHERE, instant, nullable, text } from '../../../base/schema-fields.ts'
import { type TSchema, Type } from '../../../base/typebox.ts'
import {
  SUBSCRIPTION_KINDS,
  SUBSCRIPTION_SCHEMAS,
  type Subscription,
  type SubscriptionKind,
} from '../../../notify/subscription.ts'

/** An id in a path. Each text names a subscription or none, so it is not checked. */
export const SUBSCRIPTION_ID = text('Name of the subscription.', 'route-12')

const EXAMPLES: Readonly<Record<SubscriptionKind, Subscription>> = {
  exceptions: {
    id: 'route-12',
    kind: 'exceptions',
    channel: { type: 'webhook', url: 'https://example.org/hooks/coolers', format: 'json' },
    devices: { labels: { route: '12' } },
    exceptions: { off: { hours: 6 }, warm: {} },
    when: 'settled',
    quiet: { from: '20:00', to: '06:00', timezone: 'device' },
  },
  report: {
    id: 'monthly',
    kind: 'report',
    channel: { type: 'email', to: ['ops@example.org'] },
    every: 'month',
    at: '06:30',
    timezone: 'Europe/Berlin',
    format: 'xlsx',
  },
  backup: {
    id: 'nightly',
    kind: 'backup',
    channel: { type: 'folder', path: 'backups' },
    every: 'day',
    at: '03:00',
    timezone: 'UTC',
    keep: 7,
  },
}

const SUMMARIES: Readonly<Record<SubscriptionKind, string>> = {
  exceptions: 'Tells of exceptions',
  report: 'Delivers a report each month',
  backup: 'Copies the store each night',
}

/** When a subscription was made and changed, and whether it has ended. */
const HISTORY = {
  createdAt: instant('When it was put first.', '2026-11-20T08:05:01.250Z'),
  changedAt: instant('When it was put last.', '2026-11-20T08:05:01.250Z'),
  endedWhy: nullable(
    text('Why nothing is sent any more; to put it again takes it back into use.', 'the receiver answered 410'),
    'while it is in use',
    null,
  ),
}

/** The instants are RFC 3339. */
type Shown = Subscription & { createdAt: string; changedAt: string; endedWhy: string | null }

const kinds = (schemaOf: (kind: SubscriptionKind) => TSchema) => ({ anyOf: SUBSCRIPTION_KINDS.map(schemaOf) })

const exampleOf = (kind: SubscriptionKind): Shown => ({
  ...EXAMPLES[kind],
  createdAt: '2026-11-20T08:05:01.250Z',
  changedAt: '2026-11-20T08:05:01.250Z',
  endedWhy: null,
})

export const SUBSCRIPTION = Type.Unsafe<Shown>({
  $id: 'Subscription',
  description: 'Who is told what, where and when; or what is delivered. Secrets are shown as `…`.',
  ...kinds((kind) => Type.Object({ ...SUBSCRIPTION_SCHEMAS[kind].properties, ...HISTORY })),
  examples: [exampleOf('report')],
})

export const SUBSCRIPTIONS = Type.Object(
  {
    subscriptions: Type.Array(SUBSCRIPTION, { description: 'In ascending order of `id`.' }),
    unreadable: Type.Array(
      Type.Object(
        {
          id: SUBSCRIPTION_ID,
          message: text('What is wrong.', 'subscription route-12 cannot be read (it is not JSON)'),
        },
        { description: 'A subscription that is not served.' },
      ),
      { description: 'Those that cannot be read, as the store is damaged: put them again, or remove them.' },
    ),
  },
  { $id: 'Subscriptions', description: 'All subscriptions.' },
)

/** A subscription as sent in a request. The rules of subscriptions check it. */
export const SUBSCRIPTION_TO_PUT = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  description:
    'A subscription. Its `id` may be left out. Where parts are sent as they were shown (`…`), secrets stay. Read as JSON whatever the `Content-Type` says. Unknown fields are refused.',
  ...kinds((kind) => {
    const { id, ...properties } = SUBSCRIPTION_SCHEMAS[kind].properties
    return Type.Object({ id: Type.Optional(id), ...properties }, { additionalProperties: false })
  }),
  'x-examples': Object.fromEntries(
    SUBSCRIPTION_KINDS.map((kind) => [kind, { summary: SUMMARIES[kind], value: EXAMPLES[kind] }]),
  ),
  [CHECKED_ELSEWHERE]: true,
})
