import { day, instant, integer, nullable, only, text } from '../../base/schema-fields.ts'
import { type TProperties, Type } from '../../base/typebox.ts'
import { PAYLOAD_TYPES, type PayloadType } from '../../notify/render/payload.ts'
import { COUNTS, FILE_FIELDS, ITEM_FIELDS, MESSAGE_EXAMPLE, MESSAGE_ID } from '../api/schema/message.ts'

const link = (to: string, example: string) =>
  nullable(text(`Link to ${to}.`, example), 'where `COOLER_PUBLIC_URL` is not set or no address shows it')

const ITEM = Type.Object(
  { ...ITEM_FIELDS, link: link('the day', 'https://coolers.example.org/#/device/CLR-1/day/20261119') },
  { description: 'An exception of a device-day.' },
)

const EXCEPTIONS = {
  day: day('The local day.', 20261119),
  counts: COUNTS,
  link: link('all of them', 'https://coolers.example.org/#/day/20261119?exception=any'),
  items: Type.Array(ITEM, { description: 'By exception, then by device.' }),
}

const FILE = {
  ...FILE_FIELDS,
  bytes: nullable(integer('Size of the file.', 'bytes', 48_213, { minimum: 0 }), 'where no file was made'),
  link: link('the same report as it is now', 'https://coolers.example.org/v1/reports/daily?day=20261119&format=xlsx'),
}

/** The description of each payload type, and the fields of its data in addition to the common ones. */
const PAYLOADS: Readonly<Record<PayloadType, { summary: string; description: string; data: TProperties }>> = {
  'exceptions.digest': {
    summary: 'Exceptions of a day',
    description: 'Tells which coolers somebody should look at. A day with more than 20 000 comes in parts.',
    data: EXCEPTIONS,
  },
  'exceptions.correction': {
    summary: 'A change of what was told of a day',
    description: 'Tells which exceptions began or ended since, and why. Items refer to the first message of the day.',
    data: EXCEPTIONS,
  },
  'report.ready': {
    summary: 'A report that was made',
    description: 'Links to a report of a period. A later version takes the place of earlier ones.',
    data: FILE,
  },
  'backup.ready': {
    summary: 'A copy of the store that was made',
    description: 'Tells of a checked copy. Channels for backups deliver the file itself today.',
    data: FILE,
  },
  test: { summary: 'A test', description: 'Somebody has asked for it.', data: {} },
}

const header = (name: string, description: string, example: string, required = true) => ({
  ...{ in: 'header', name, required, description },
  schema: { type: 'string', examples: [example] },
})

/** The headers of Standard Webhooks. */
const HEADERS = [
  header('webhook-id', 'Id of the message, the same in each attempt: drop what you have had.', MESSAGE_EXAMPLE),
  header('webhook-timestamp', 'When this attempt was made. Unit: epoch seconds.', '1795161901'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64. Only where the channel has a secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    false,
  ),
]

/** Answers of a receiver. */
const RESPONSES = {
  '2XX': { description: 'Received. The body is not read.' },
  410: { description: 'No more of these: the subscription ends.' },
  default: { description: 'Anything else, redirects included, is a failure: it is sent again with growing pauses.' },
}

/** Returns the webhooks of the document, by the type of their payload. */
export const describeWebhooks = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    PAYLOAD_TYPES.map((type) => {
      const { summary, description, data } = PAYLOADS[type]
      const operationId = `received-${type}`.replace(/[-.](\w)/g, (_, first: string) => first.toUpperCase())
      const schema = payloadSchema(type, data)
      return [
        type,
        {
          post: {
            ...{ operationId, tags: ['Messages'], summary, description, security: [], parameters: HEADERS },
            requestBody: { required: true, content: { 'application/json': { schema } } },
            responses: RESPONSES,
          },
        },
      ]
    }),
  )

const payloadSchema = (type: PayloadType, data: TProperties) =>
  Type.Object(
    {
      type: only(type, 'What it is.'),
      timestamp: instant('When the message was made.', '2026-11-20T08:05:01.250Z'),
      data: Type.Object(
        {
          id: MESSAGE_ID,
          subscription: text('The subscription.', 'route-12'),
          title: text('All of it in one line, in the language of the subscription.', 'Test of route-12'),
          ...data,
        },
        { description: 'What it tells.' },
      ),
    },
    { description: 'A payload of Standard Webhooks.' },
  )
