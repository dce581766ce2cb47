import { CoolerError } from '../base/errors.ts'
import { EXCEPTION_NAMES, EXCEPTIONS, type ExceptionName } from '../base/exceptions.ts'
import { checkLabels } from '../base/labels.ts'
import { checkBySchema } from '../base/schema-check.ts'
import { CHECKED_ELSEWHERE, EXPECTED, flag, integer, mapOf, number, oneOf, only, text } from '../base/schema-fields.ts'
import { type Static, type TProperties, type TSchema, Type } from '../base/typebox.ts'
import { zoneName } from '../base/zone.ts'
import { CHANNELS, type Channel, type ChannelType, checkChannel } from './channel.ts'

/** Languages that messages are written in. */
export const LANGUAGES = ['en', 'zh'] as const
export type Language = (typeof LANGUAGES)[number]

/** Stands for the zone of each device. */
export const ZONE_OF_DEVICE = 'device'

const strict = { additionalProperties: false } as const

const zone = (description: string) =>
  Type.Refine(
    text(description, 'Europe/Berlin', { [EXPECTED]: 'an IANA time zone name, such as Europe/Berlin' }),
    (name) => zoneName(name) !== null,
  )

/** A time of day as HH:MM. */
const clock = (description: string, example: string) =>
  text(description, example, { pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', [EXPECTED]: 'a time of day as HH:MM' })

/** Most ids that a subscription names. */
const MOST_IDS = 10_000

const SELECTION = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(text('A device.', 'CLR-1'), {
        description: 'Only these devices.',
        maxItems: MOST_IDS,
        examples: [['CLR-1']],
      }),
    ),
    prefix: Type.Optional(text('Only devices whose id begins so.', 'CLR-', { minLength: 1, maxLength: 128 })),
    timezone: Type.Optional(zone('Only devices whose zone at the end of the day is this one.')),
    labels: Type.Optional(
      Type.Refine(
        {
          ...mapOf('Only devices with all of these labels.', text('Value of a label.', '12'), { route: '12' }),
          [EXPECTED]: 'labels: an object of texts by key',
        },
        isLabels,
      ),
    ),
  },
  { ...strict, description: 'Which devices; all where it is empty. Each part narrows the selection.' },
)

function isLabels(value: unknown): boolean {
  try {
    checkLabels(value)
    return true
  } catch {
    return false
  }
}

const limits = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Optional(Type.Object(fields, { ...strict, description }))

const limit = (description: string, unit: string, example: number, minimum: number) =>
  Type.Optional(
    number(`${description}; that of the settings where it is left out.`, unit, example, { minimum, maximum: 1e6 }),
  )

const OF_EXCEPTIONS = Type.Object(
  {
    moved: limits(EXCEPTIONS.moved, { metres: limit('Distance', 'metres', 500, 0) }),
    off: limits(EXCEPTIONS.off, { hours: limit('Time off', 'hours', 6, 0) }),
    warm: limits(EXCEPTIONS.warm, {
      aboveSet: limit('Above the set temperature', 'degrees Celsius', 5, -100),
      above: limit('Where no set temperature is known', 'degrees Celsius', 12, -100),
    }),
    silent: limits(EXCEPTIONS.silent, { hours: limit('Time since the last event', 'hours', 48, 0) }),
    'no-power-data': limits(EXCEPTIONS['no-power-data'], {}),
  } satisfies Record<ExceptionName, TSchema>,
  {
    ...strict,
    minProperties: 1,
    description: 'Which exceptions, each with its own limits.',
    examples: [{ off: {} }],
    [EXPECTED]: `an object with at least one of ${EXCEPTION_NAMES.join(', ')}`,
  },
)

const QUIET = Type.Object(
  {
    from: clock('From then on nothing is sent.', '20:00'),
    to: clock('Until then; of the next day if it is earlier than `from`.', '06:00'),
    timezone: Type.Refine(
      text(`By whose clock: an IANA zone, or \`${ZONE_OF_DEVICE}\` for that of each device.`, ZONE_OF_DEVICE, {
        [EXPECTED]: `an IANA time zone name, or ${ZONE_OF_DEVICE}`,
      }),
      (name) => name === ZONE_OF_DEVICE || zoneName(name) !== null,
    ),
  },
  { ...strict, description: 'Hours in which nothing is sent; what is to be told waits until they are over.' },
)

const ID = text('Name of the subscription.', 'route-12', {
  pattern: '^[\\w.-]{1,64}$',
  [EXPECTED]: '1 to 64 letters, digits, dots, hyphens or underscores',
})

/** The types of channels that a kind of subscription may have. */
const CHANNELS_OF = {
  exceptions: ['webhook', 'email', 'mqtt'],
  report: ['email', 'folder', 's3', 'webhook'],
  backup: ['folder', 's3'],
} as const satisfies Record<string, readonly ChannelType[]>

const common = (channels: readonly ChannelType[]) => ({
  id: ID,
  enabled: Type.Optional(flag('false: nothing is found or sent; true where it is left out.', true)),
  channel: Type.Unsafe<Channel>({
    description: `Where to: ${channels.join(', ')}.`,
    anyOf: channels.map((type) => CHANNELS[type]),
    [CHECKED_ELSEWHERE]: true,
  }),
})

const LANGUAGE = Type.Optional(oneOf('Language of the messages; `en` where it is left out.', LANGUAGES, 'en'))

const when = {
  every: oneOf('Period.', ['day', 'week', 'month'], 'day'),
  at: clock('Time of day.', '06:30'),
  timezone: zone('By whose clock.'),
}

const KINDS = {
  exceptions: Type.Object(
    {
      kind: only('exceptions', 'Tells which coolers somebody should look at.'),
      ...common(CHANNELS_OF.exceptions),
      language: LANGUAGE,
      devices: Type.Optional(SELECTION),
      exceptions: OF_EXCEPTIONS,
      when: oneOf(
        '`settled`: when the day closes; `provisional`: as soon as the open day has the exception.',
        ['settled', 'provisional'],
        'settled',
      ),
      atMostEveryMinutes: Type.Optional(
        integer('Least time between two messages; 0 where it is left out.', 'minutes', 60, {
          minimum: 0,
          maximum: 10_080,
        }),
      ),
      quiet: Type.Optional(QUIET),
    },
    strict,
  ),
  report: Type.Object(
    {
      kind: only('report', 'Delivers a report of each day, week (from Monday) or month.'),
      ...common(CHANNELS_OF.report),
      language: LANGUAGE,
      devices: Type.Optional(SELECTION),
      ...when,
      format: oneOf('Format of the file.', ['csv', 'xlsx', 'parquet', 'json'], 'xlsx'),
      provisional: Type.Optional(flag('true: also with days that are not settled; else they are waited for.', false)),
    },
    strict,
  ),
  backup: Type.Object(
    {
      kind: only('backup', 'Copies a store that is a file, checks the copy, and keeps some.'),
      ...common(CHANNELS_OF.backup),
      ...when,
      keep: Type.Optional(
        integer('Copies to keep; 7 where it is left out.', 'copies', 7, { minimum: 1, maximum: 1000 }),
      ),
    },
    strict,
  ),
} as const

export type SubscriptionKind = keyof typeof KINDS
export const SUBSCRIPTION_KINDS = Object.keys(KINDS) as SubscriptionKind[]

export type ExceptionSubscription = Static<typeof KINDS.exceptions>
export type ReportSubscription = Static<typeof KINDS.report>
export type BackupSubscription = Static<typeof KINDS.backup>
/** A request for messages about exceptions, or for files, with the channel and the time. */
export type Subscription = ExceptionSubscription | ReportSubscription | BackupSubscription
export type Selection = Static<typeof SELECTION>

/** The schemas of subscriptions, by kind. */
export const SUBSCRIPTION_SCHEMAS = KINDS

/**
 * Checks a subscription; returns it as it is.
 *
 * @throws CoolerError `bad-request`, one sentence that names the field, and what it must be
 */
export function checkSubscription(value: unknown): Subscription {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CoolerError('bad-request', 'a subscription must be an object')
  const { kind, channel } = value as Partial<Subscription>
  if (kind === undefined || !Object.hasOwn(KINDS, kind))
    throw new CoolerError('bad-request', `kind must be one of ${SUBSCRIPTION_KINDS.join(', ')}`)
  checkBySchema(KINDS[kind], value)
  checkChannel(channel, CHANNELS_OF[kind])
  return value as Subscription
}

/** Returns the exceptions that a subscription asks for, in their order. */
export const exceptionsAsked = ({ exceptions }: ExceptionSubscription): ExceptionName[] =>
  EXCEPTION_NAMES.filter((name) => exceptions[name] !== undefined)
