import type { FastifyInstance } from 'fastify'
import { plainDegrees } from '../../base/rounding.ts'
import { CHECKED_ELSEWHERE, flag, nullable, PAGE, pageSize, text } from '../../base/schema-fields.ts'
import { formatInstant, instantOrNull } from '../../base/time.ts'
import { type Static, Type } from '../../base/typebox.ts'
import { NO_SEQ } from '../../event/event-columns.ts'
import type { Placement } from '../../event/placement.ts'
import { changeOf, MOST_PLACEMENTS, type PutDevice } from '../../ingest/device-change.ts'
import type { Device, RegistryReads } from '../../store/registry.ts'
import type { RollupReads } from '../../store/rollup-store.ts'
import { ADMIN, devicesOf, noSuchDevice, READ, requireOwnLabels } from './access.ts'
import { call, resource, type Statement } from './call.ts'
import { devicesWithin } from './devices-within.ts'
import { READS_STORE, WRITES_STORE } from './error-answers.ts'
import { DEVICE, DEVICE_ID, ID, PLACEMENT_EXAMPLE, PLACEMENT_TO_PUT, STARTED } from './schema/device.ts'
import { AT } from './schema/event.ts'
import { LABELS_TO_PUT } from './schema/labels.ts'

const DEVICES = Type.Object(
  {
    devices: Type.Array(DEVICE, { description: 'In ascending order of `id` by UTF-16 units.' }),
    next: nullable(text('`after` of the next page.', ID), 'on the last page'),
  },
  { $id: 'Devices', description: 'A page of devices.' },
)

const CHANGE = Type.Object(
  {
    placements: Type.Optional(
      Type.Array(PLACEMENT_TO_PUT, {
        description: `All of its placements: they take the place of those that it has. At most ${MOST_PLACEMENTS}.`,
        maxItems: MOST_PLACEMENTS,
      }),
    ),
    retired: Type.Optional(flag('true: it is retired now; false: it is in use again. Not beside `retiredAt`.', false)),
    retiredAt: Type.Optional(
      Type.Unsafe<unknown>({
        ...AT,
        type: ['string', 'integer', 'null'],
        description:
          'When it was or is to be retired, from 2000 to ten years ahead: an RFC 3339 text with an offset, or epoch milliseconds; null: it is in use again.',
        [CHECKED_ELSEWHERE]: true,
      }),
    ),
    labels: Type.Optional(LABELS_TO_PUT),
  },
  {
    description:
      'What to change; what is left out stays. Read as JSON whatever the `Content-Type` says. Unknown fields are refused.',
    additionalProperties: false,
    'x-examples': {
      place: { summary: 'Its one placement', value: { placements: [PLACEMENT_EXAMPLE] } },
      retire: { summary: 'It is out of use', value: { retired: true } },
      retireThen: { summary: 'It has been since then', value: { retiredAt: STARTED } },
    },
  },
)

const ONE = Type.Object({ id: DEVICE_ID })

const LIST = {
  operationId: 'listDevices',
  tags: ['Devices'],
  summary: 'All devices',
  description: 'The registry, in pages. A key that is limited to some devices sees no other.',
  access: READ,
  querystring: Type.Object({
    limit: pageSize('devices'),
    after: Type.Optional(text('Only devices with an id behind this one: `next` of the page before.', ID)),
  }),
  response: { 200: DEVICES },
  errors: READS_STORE,
} as const satisfies Statement

const READ_ONE = {
  operationId: 'readDevice',
  tags: ['Devices'],
  summary: 'One device',
  description: 'A device with its placements.',
  access: READ,
  params: ONE,
  response: { 200: DEVICE },
  errors: [...READS_STORE, 'not-found'],
} as const satisfies Statement

const PUT_ONE = {
  operationId: 'putDevice',
  tags: ['Devices'],
  summary: 'Register or change a device',
  description:
    'Registers a device where it is new, replaces its placements or labels, retires it or takes it back. Days whose figures change by it are rolled up again.',
  access: ADMIN,
  params: ONE,
  body: CHANGE,
  response: { 200: DEVICE },
  errors: [...WRITES_STORE, 'not-found', 'unsupported-media-type'],
} as const satisfies Statement

const PUT_LABELS = {
  operationId: 'putLabels',
  tags: ['Devices'],
  summary: 'Label a device',
  description:
    'Replaces all labels of a registered device. Lists of the fleet show them, sort and filter by them, and keys may be limited by them.',
  access: ADMIN,
  params: ONE,
  body: LABELS_TO_PUT,
  response: { 200: DEVICE },
  errors: [...WRITES_STORE, 'not-found', 'unsupported-media-type'],
} as const satisfies Statement

export interface DeviceStores {
  registry: RegistryReads
  rollups: Pick<RollupReads, 'states' | 'reportVersion'>
}

/** The registry: `GET /v1/devices` (in pages, by `after`), `GET` and `PUT /v1/devices/{id}`, `PUT .../labels`. */
export function deviceRoutes(
  app: FastifyInstance,
  stores: DeviceStores,
  { putDevice, now, bodyLimit }: { putDevice: PutDevice; now: () => number; bodyLimit: number },
): void {
  const { registry } = stores
  resource(app, '/v1/devices', {
    GET: call(LIST, async (request) => {
      const { after = null, limit = PAGE.default } = request.query
      const page = await devicesWithin(registry, devicesOf(request), after, limit + 1)
      const devices = page.slice(0, limit)
      const next = page.length > limit ? devices[devices.length - 1].id : null
      return { devices: await describe(stores, devices), next }
    }),
  })
  const calls = {
    GET: call(READ_ONE, async (request) => {
      const { id } = request.params
      const device = await registry.device(id)
      if (device === null) throw noSuchDevice(id)
      return (await describe(stores, [device]))[0]
    }),
    PUT: call(PUT_ONE, async (request) => {
      const { id } = request.params
      const change = changeOf(id, request.body, now())
      requireOwnLabels(request, change.labels)
      const device = await putDevice({ id, change, now: now() })
      return (await describe(stores, [device]))[0]
    }),
  }
  resource(app, '/v1/devices/:id', calls, { bodyLimit })
  resource(app, '/v1/devices/:id/labels', {
    PUT: call(PUT_LABELS, async (request) => {
      const { id } = request.params
      const change = changeOf(id, { labels: request.body }, now())
      requireOwnLabels(request, change.labels)
      if ((await registry.device(id)) === null) throw noSuchDevice(id)
      return (await describe(stores, [await putDevice({ id, change, now: now() })]))[0]
    }),
  })
}

async function describe(
  { registry, rollups }: DeviceStores,
  devices: readonly Device[],
): Promise<Static<typeof DEVICE>[]> {
  const numbers = devices.map(({ number }) => number)
  const placements = await registry.placements(numbers)
  const states = await rollups.states(numbers)
  return devices.map(({ id, number, registeredAt, retiredAt, labels }) => ({
    id,
    registeredAt: formatInstant(registeredAt),
    retiredAt: instantOrNull(retiredAt),
    firstHeardAt: instantOrNull(states.get(number)?.firstHeardAt),
    lastHeardAt: instantOrNull(states.get(number)?.lastHeardAt),
    labels,
    placements: (placements.get(number) ?? []).map(describePlacement),
  }))
}

const describePlacement = ({ at, seq, lat, lon, zone, address }: Placement) => ({
  at: formatInstant(at),
  ...(seq === NO_SEQ ? {} : { seq }),
  lat: Number(plainDegrees(lat)),
  lon: Number(plainDegrees(lon)),
  ...(zone === '' ? {} : { timezone: zone }),
  ...(address === null ? {} : { address }),
})
