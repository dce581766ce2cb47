import { EVENT_FIELDS, MAX_ID_UNITS, type NumberField } from '../../event/fields.ts'
import { ADMIN, READ } from '../api/access.ts'
import { MOST_PLACEMENTS, PAGE } from '../api/device-routes.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { AT } from './event.ts'
import { json, limitParameter, type Operation, type Parameter } from './operation.ts'
import { flag, instant, integer, list, number, object, type Schema, text } from './schema.ts'

const ID = 'CLR-1'
const STARTED = '2026-11-20T07:00:00.000Z'

export const deviceIdParameter: Parameter = {
  name: 'id',
  in: 'path',
  description: 'Asset identifier, percent-encoded where it has characters such as `/`.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_ID_UNITS, examples: [ID] },
}

const { lat, lon } = EVENT_FIELDS.placement.fields
const { timezone, address } = EVENT_FIELDS.placement.optional

const degrees = ({ description, unit, min, max, example }: Required<NumberField>): Schema =>
  number(description, { unit, minimum: min, maximum: max, example })

const common = {
  seq: integer("The device's own counter; left out where there is none.", {
    unit: 'events',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    example: 7,
  }),
  lat: degrees(lat),
  lon: degrees(lon),
  timezone: text('IANA name of the time zone; `COOLER_DEFAULT_TIMEZONE` where it is left out.', {
    example: timezone.example,
  }),
}
const ADDRESS = { maxLength: address.maxUnits, example: address.example }
const OPTIONAL = ['seq', 'timezone', 'address']
const EXAMPLE = {
  at: STARTED,
  lat: lat.example,
  lon: lon.example,
  timezone: timezone.example,
  address: address.example,
}

export const PLACEMENT = object(
  'Where a device is meant to stand from an instant on.',
  {
    at: instant('From when on.', STARTED),
    ...common,
    address: text('Address; left out where none is known.', ADDRESS),
  },
  { optional: OPTIONAL, example: EXAMPLE },
)

const PLACEMENT_TO_PUT = object(
  'Where a device is meant to stand from an instant on, at most ten years ahead.',
  {
    at: AT,
    ...common,
    address: text('Address.', { ...ADDRESS, nullWhen: 'where none is known, as if it were left out' }),
  },
  { optional: OPTIONAL, example: EXAMPLE },
)

export const DEVICE = object('A registered device.', {
  id: text('Asset identifier.', { example: ID }),
  registeredAt: instant('When it was registered: by its first event, or by a call.', '2026-11-20T08:05:01.250Z'),
  retiredAt: instant('When it was retired.', null, 'while it is in use'),
  firstHeardAt: instant('When its first event that was rolled up happened.', '2026-11-20T08:00:00.000Z', 'before it'),
  lastHeardAt: instant(
    'When its last event that was rolled up happened.',
    '2026-11-20T08:08:00.000Z',
    'before the first',
  ),
  placements: list('All of its placements, in the order of their instants.', PLACEMENT),
})

export const DEVICES = object('A page of devices.', {
  devices: list('In ascending order of `id` by UTF-16 units.', DEVICE),
  next: text('`after` of the next page.', { nullWhen: 'on the last page', example: ID }),
})

const CHANGE = object(
  'What to change; what is left out stays. Unknown fields are refused.',
  {
    placements: list(
      `All of its placements: they take the place of those that it has. At most ${MOST_PLACEMENTS}.`,
      PLACEMENT_TO_PUT,
      { maxItems: MOST_PLACEMENTS },
    ),
    retired: flag('true: it is retired now; false: it is in use again. Not beside `retiredAt`.', false),
    retiredAt: {
      ...AT,
      type: ['string', 'integer', 'null'],
      description:
        'When it was or is to be retired, from 2000 to ten years ahead: an RFC 3339 text with an offset, or epoch milliseconds; null: it is in use again.',
    },
  },
  { optional: ['placements', 'retired', 'retiredAt'] },
)

export const DEVICE_OPERATIONS: readonly Operation[] = [
  {
    method: 'GET',
    path: '/v1/devices',
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'All devices',
    description: 'The registry, in pages. A key that is limited to some devices sees no other.',
    access: READ,
    parameters: [
      limitParameter('devices', PAGE),
      {
        name: 'after',
        in: 'query',
        description: 'Only devices with an id behind this one: `next` of the page before.',
        schema: { type: 'string', examples: [ID] },
      },
    ],
    answers: { 200: { description: 'The page.', content: json(DEVICES) } },
    errors: READS_STORE,
  },
  {
    method: 'GET',
    path: '/v1/devices/{id}',
    operationId: 'readDevice',
    tag: 'Devices',
    summary: 'One device',
    description: 'A device with its placements.',
    access: READ,
    parameters: [deviceIdParameter],
    answers: { 200: { description: 'The device.', content: json(DEVICE) } },
    errors: [...READS_STORE, 'not-found'],
  },
  {
    method: 'PUT',
    path: '/v1/devices/{id}',
    operationId: 'putDevice',
    tag: 'Devices',
    summary: 'Register or change a device',
    description:
      'Registers a device where it is new, replaces its placements, retires it or takes it back. Days whose figures change by it are rolled up again.',
    access: ADMIN,
    parameters: [deviceIdParameter],
    body: {
      description: 'Read as JSON whatever the `Content-Type` says.',
      content: json(CHANGE, {
        place: { summary: 'Its one placement', value: { placements: [EXAMPLE] } },
        retire: { summary: 'It is out of use', value: { retired: true } },
        retireThen: { summary: 'It has been since then', value: { retiredAt: STARTED } },
      }),
    },
    answers: { 200: { description: 'The device as it is now.', content: json(DEVICE) } },
    errors: [...WRITES_STORE, 'not-found', 'unsupported-media-type'],
  },
]
