import { CoolerError } from '../base/errors.ts'
import { MAIL_ADDRESS_PATTERN, MOST_MAIL_ADDRESS } from '../base/mail-address.ts'
import { isOwnHost } from '../base/own-host.ts'
import { checkBySchema } from '../base/schema-check.ts'
import { EXPECTED, IS_SECRET, integer, oneOf, only, text } from '../base/schema-fields.ts'
import { type Static, Type } from '../base/typebox.ts'

const strict = { additionalProperties: false } as const

/** The secret of a webhook, as Standard Webhooks writes it: 24 to 64 bytes in base64, after `whsec_`. */
const SECRET = Type.Refine(
  text('Signs each message, by Standard Webhooks. Never shown again.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
    [EXPECTED]: 'whsec_, then 24 to 64 bytes in base64',
    [IS_SECRET]: true,
  }),
  isSecret,
)

function isSecret(value: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+)={0,2}$/.exec(value)
  if (match === null) return false
  const bytes = Math.floor((match[1].length * 3) / 4) // Not by Buffer: the dashboard has the types of this file.
  return bytes >= 24 && bytes <= 64
}

const URL_OF_WEBHOOK = Type.Refine(
  text('Where to, by https. What is behind its host is never shown again.', 'https://example.org/hooks/coolers', {
    maxLength: 2000,
    [IS_SECRET]: true,
    [EXPECTED]: 'an https URL without a login and a fragment (http only for an address of this machine)',
  }),
  isWebhookUrl,
)

function isWebhookUrl(value: string): boolean {
  // The masked form of a URL, sent where no stored URL can replace it.
  if (!URL.canParse(value) || value.endsWith(HIDDEN)) return false
  const { protocol, hostname, username, password, hash } = new URL(value)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isOwnHost(hostname))
}

const ADDRESS = text('E-mail address.', 'ops@example.org', {
  pattern: MAIL_ADDRESS_PATTERN,
  maxLength: MOST_MAIL_ADDRESS,
  [EXPECTED]: 'an e-mail address',
})

/** A relative path without `.`, `..` and empty parts. */
const path = (description: string, example: string) =>
  text(description, example, {
    pattern: '^(?!\\.{1,2}(/|$))[\\w .@=+-]{1,100}(/(?!\\.{1,2}(/|$))[\\w .@=+-]{1,100}){0,9}$',
    [EXPECTED]: 'a relative path of letters, digits and . _ - = @ + , without . and .. as parts',
  })

/** Schemas of channels, by their field `type`. A channel is where a subscription sends messages or files. */
export const CHANNELS = {
  webhook: Type.Object(
    {
      type: only('webhook', 'What it is.'),
      url: URL_OF_WEBHOOK,
      format: oneOf(
        '`json`: Standard Webhooks; `slack` and `teams`: what these take.',
        ['json', 'slack', 'teams'],
        'json',
      ),
      secret: Type.Optional(SECRET),
    },
    { ...strict, title: 'webhook' },
  ),
  email: Type.Object(
    {
      type: only('email', 'What it is.'),
      to: Type.Array(ADDRESS, {
        description: 'Receivers.',
        minItems: 1,
        maxItems: 50,
        examples: [['ops@example.org']],
      }),
    },
    { ...strict, title: 'email', description: 'By the server of `COOLER_SMTP_URL`.' },
  ),
  mqtt: Type.Object(
    {
      type: only('mqtt', 'What it is.'),
      topic: text('Topic.', 'coolers/alerts', {
        pattern: '^[^#+\\u0000-\\u001f$][^#+\\u0000-\\u001f]{0,199}$',
        [EXPECTED]: 'a topic of 1 to 200 characters without # and +, which does not begin with $',
      }),
      qos: Type.Optional(
        integer('Quality of service; 1 where it is left out.', 'level', 1, { minimum: 0, maximum: 2 }),
      ),
    },
    { ...strict, title: 'mqtt', description: 'To the broker of `COOLER_NOTIFY_MQTT_URL`.' },
  ),
  folder: Type.Object(
    {
      type: only('folder', 'What it is.'),
      path: path('Folder within `COOLER_DELIVERY_FOLDER`.', 'reports'),
    },
    { ...strict, title: 'folder' },
  ),
  s3: Type.Object(
    {
      type: only('s3', 'What it is.'),
      bucket: text('Bucket.', 'cooler-reports', {
        pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
        [EXPECTED]: 'the name of a bucket',
      }),
      prefix: Type.Optional(path('What the key of each object begins with.', 'reports/daily')),
    },
    { ...strict, title: 's3', description: 'With the login of the environment (`AWS_ACCESS_KEY_ID` and so on).' },
  ),
} as const

export type ChannelType = keyof typeof CHANNELS
export type ChannelOf<Type extends ChannelType> = Static<(typeof CHANNELS)[Type]>
export type Channel = { [Type in ChannelType]: ChannelOf<Type> }[ChannelType]

/**
 * Checks a channel, which must be of one of these types.
 *
 * @throws CoolerError `bad-request` that names the field, and what it must be
 */
export function checkChannel(value: unknown, types: readonly ChannelType[]): Channel {
  const type = (value as Partial<Channel> | null | undefined)?.type
  if (type === undefined || !types.includes(type))
    throw new CoolerError('bad-request', `channel.type must be one of ${types.join(', ')}`)
  checkBySchema(CHANNELS[type], value, { within: 'channel' })
  return value as Channel
}

/** Replaces the hidden part of a URL, and a secret. */
const HIDDEN = '…'

/** Returns a channel as answers show it: of a webhook only the origin of its URL, and whether it has a secret. */
export function shownChannel(channel: Channel): Channel {
  if (channel.type !== 'webhook') return channel
  const { secret, ...rest } = channel
  return {
    ...rest,
    url: `${new URL(channel.url).origin}/${HIDDEN}`,
    ...(secret === undefined ? {} : { secret: HIDDEN }),
  }
}

/** Returns a channel as it was sent, with the parts that `shownChannel` masks restored from the stored channel. */
export function withKeptSecrets(sent: unknown, kept: Channel | undefined): unknown {
  if (kept?.type !== 'webhook' || typeof sent !== 'object' || sent === null) return sent
  const shown = shownChannel(kept) as ChannelOf<'webhook'>
  const { url, secret, ...rest } = sent as Partial<ChannelOf<'webhook'>>
  return {
    ...rest,
    ...(url === undefined ? {} : { url: url === shown.url ? kept.url : url }),
    ...(secret === undefined ? {} : { secret: secret === HIDDEN ? kept.secret : secret }),
  }
}
