import { EXCEPTION_NAMES } from '../../../base/exceptions.ts'
import {
  count,
  day,
  EXPECTED,
  flag,
  instant,
  integer,
  nullable,
  number,
  oneOf,
  only,
  text,
} from '../../../base/schema-fields.ts'
import { type TUnsafe, Type } from '../../../base/typebox.ts'
import type { ExceptionMessage, FileMessage, MessageBody, TestMessage } from '../../../notify/message.ts'
import { MESSAGE_STATES } from '../../../store/notices.ts'
import { CAUSES } from '../../../store/revision.ts'

export const MESSAGE_EXAMPLE = 'msg_01kbadz0v2q9m4x7f3t8w6c5hn'
const CREATED = '2026-11-20T08:05:01.250Z'
const DAY = 20261119

export const MESSAGE_ID = text('Id of the message, the same in each attempt.', MESSAGE_EXAMPLE)

/** One of the two ends of what a message is about. */
const FIRST_DAY = day('First local day that it is about.', DAY)
const LAST_DAY = day('Last local day that it is about, counted too.', DAY)
const VERSION = integer('1 for the first about these days; later ones take its place or correct it.', 'versions', 1, {
  minimum: 1,
})

/** The fields of an exception of a device-day. */
export const ITEM_FIELDS = {
  deviceId: text('Asset identifier.', 'CLR-1'),
  exception: oneOf('The exception.', EXCEPTION_NAMES, 'off'),
  change: oneOf('`ended`: an earlier message told of it, and it no longer holds.', ['began', 'ended'], 'began'),
  status: oneOf(
    'Whether the day is open, closed, or was changed since.',
    ['provisional', 'settled', 'revised'],
    'settled',
  ),
  value: nullable(number('The figure.', 'that of `unit`', 9.5), 'where there is none'),
  limit: nullable(number('Its limit.', 'that of `unit`', 6), 'where there is none'),
  unit: Type.Unsafe<'m' | 'h' | '°C' | null>({
    type: ['string', 'null'],
    description: 'Unit of the two. Null for `no-power-data`.',
    enum: ['m', 'h', '°C', null],
    examples: ['h'],
  }),
  since: day('The first of the days up to this one on which it held.', DAY),
  timezone: text("The device's zone on the day.", 'Europe/Berlin'),
  address: nullable(text('Where it is meant to stand.', 'Hauptstraße 1, Berlin'), 'where none is known'),
  causes: Type.Array(oneOf('A cause.', CAUSES, 'late-events'), {
    description: 'Why the settled day was computed again; empty for news.',
    examples: [[]],
  }),
  refersTo: nullable(text('The message that told of the day first.', MESSAGE_EXAMPLE), 'for news', null),
}

export const COUNTS = Type.Array(
  Type.Object(
    {
      exception: ITEM_FIELDS.exception,
      change: ITEM_FIELDS.change,
      count: count('Items.', 'device-days', 12),
    },
    { description: 'How many items have this exception and change.' },
  ),
  { description: 'Items by exception and change; only what there is.' },
)

/** The fields of a message about a file, which its payload has, too. */
export const FILE_FIELDS = {
  fromDay: FIRST_DAY,
  toDay: LAST_DAY,
  version: VERSION,
  name: text('Name of the file.', 'monthly-20261101-20261130.v2.xlsx'),
  mediaType: text('Its content type.', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'),
}

const TEST = Type.Object({ type: only('test', 'What it is.') }, { description: 'Was asked for.' })

const BODY: TUnsafe<MessageBody> = Type.Unsafe<ExceptionMessage | FileMessage | TestMessage>({
  description: 'What it says, by `type`.',
  anyOf: [
    Type.Object(
      {
        type: only('exceptions', 'What it is.'),
        day: day('The local day.', DAY),
        isCorrection: flag('Whether an earlier message told of the day.', false),
        items: Type.Array(Type.Object(ITEM_FIELDS, { description: 'An exception of a device-day.' }), {
          description: 'By exception, then by device.',
        }),
      },
      { description: 'Exceptions that began or ended.' },
    ),
    Type.Object(
      {
        type: only('file', 'What it is.'),
        kind: oneOf('What the file is.', ['report', 'backup'], 'report'),
        ...FILE_FIELDS,
      },
      { description: 'A file that was made.' },
    ),
    TEST,
  ],
  examples: [{ type: 'test' }],
})

export const MESSAGE_TYPES = ['exceptions', 'report', 'backup', 'test'] as const

const FIELDS = {
  id: MESSAGE_ID,
  subscription: text('The subscription that it belongs or belonged to.', 'route-12'),
  type: nullable(
    oneOf('What it is about.', MESSAGE_TYPES, 'exceptions'),
    'where it cannot be read: the store is damaged',
  ),
  name: nullable(FILE_FIELDS.name, 'where it is about no file', null),
  day: FIRST_DAY,
  toDay: LAST_DAY,
  version: VERSION,
  createdAt: instant('When it was written.', CREATED),
  state: oneOf('`failed`: given up, until somebody retries it.', MESSAGE_STATES, 'sent'),
  attempts: count('Attempts so far.', 'attempts', 1),
  nextAt: nullable(instant('When it is tried next, at the earliest.', CREATED), 'unless it waits', null),
  doneAt: nullable(instant('When it was sent or given up.', CREATED), 'while it waits'),
  error: nullable(text('Why the last attempt failed.', 'the receiver answered 503'), 'where it did not', null),
  counts: COUNTS,
}

/** What stands in a message of the list. */
export const MESSAGE = Type.Object(FIELDS, { $id: 'Message', description: 'A message, without what it says.' })

export const WHOLE_MESSAGE = Type.Object(
  { ...FIELDS, body: BODY },
  { $id: 'WholeMessage', description: 'A message with what it says.' },
)

/** `next` of a page: when its last message was created, and its id. */
export const CURSOR = text('Where the page begins: `next` of the page before.', `1763625901250-${MESSAGE_EXAMPLE}`, {
  pattern: '^\\d{1,15}-msg_[0-9a-z]{26}$',
  [EXPECTED]: '`next` of a page',
})

export const MESSAGES = Type.Object(
  {
    messages: Type.Array(MESSAGE, { description: 'Newest first.' }),
    next: nullable(CURSOR, 'on the last page'),
  },
  { $id: 'Messages', description: 'A page of messages.' },
)

export const QUEUED = Type.Object(
  { id: MESSAGE_ID },
  { $id: 'QueuedMessage', description: 'A message that will be sent.' },
)
