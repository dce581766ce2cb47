import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { plainDegrees } from '../../base/rounding.ts'
import { millisecondsInDay } from '../../base/time.ts'
import { checkEvent } from '../../event/check-event.ts'
import { EventBatch } from '../../event/event-batch.ts'
import { NO_SEQ } from '../../event/event-columns.ts'
import { MAX_ID_UNITS } from '../../event/fields.ts'
import { parseRfc3339 } from '../../event/parse-at.ts'
import type { Placement } from '../../event/placement.ts'
import type { Device, DeviceChange, Registry } from '../../store/registry.ts'
import type { ReportStore } from '../../store/report-store.ts'
import { ADMIN, allow, devicesOf, noSuchDevice, READ, requireSeen } from './access.ts'
import { devicesWithin } from './devices-within.ts'
import { jsonObject } from './json-body.ts'
import { resource } from './resource.ts'

/** Devices of one page of `GET /v1/devices`. */
export const PAGE = { default: 100, most: 1000 } as const

export interface DeviceStores {
  registry: Registry
  report: ReportStore
}

/** Makes a change of the registry, off the event loop: it may have to wait for the store. */
export type PutDevice = (put: { id: string; change: DeviceChange; now: number }) => Promise<Device>

/** The registry: `GET /v1/devices` (pages by `after`), `GET` and `PUT /v1/devices/{id}`. */
export function deviceRoutes(
  app: FastifyInstance,
  stores: DeviceStores,
  { putDevice, now, bodyLimit }: { putDevice: PutDevice; now: () => number; bodyLimit: number },
): void {
  const { registry } = stores
  resource(app, '/v1/devices', {
    GET: allow(READ, async (request) => {
      const { after, limit } = pageOf(request)
      const page = await devicesWithin(registry, devicesOf(request), after, limit + 1)
      const devices = page.slice(0, limit)
      const next = page.length > limit ? devices[devices.length - 1].id : null
      return { devices: await describe(stores, devices), next }
    }),
  })
  const handlers = {
    GET: allow(READ, async (request) => {
      const id = seenId(request)
      const device = await registry.device(id)
      if (device === null) throw noSuchDevice(id)
      return (await describe(stores, [device]))[0]
    }),
    PUT: allow(ADMIN, async (request) => {
      const id = seenId(request)
      const device = await putDevice({ id, change: changeOf(id, jsonObject(request.body), now()), now: now() })
      return (await describe(stores, [device]))[0]
    }),
  }
  resource(app, '/v1/devices/:id', handlers, { bodyLimit })
}

/**
 * The id of the device in a path.
 *
 * @throws CoolerError `bad-request` where it can be none, `not-found` where the request's key does not see the device.
 */
export function seenId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (id.length === 0 || id.length > MAX_ID_UNITS) {
    throw new CoolerError('bad-request', `a device id has 1 to ${MAX_ID_UNITS} UTF-16 units`)
  }
  requireSeen(request, id)
  return id
}

function pageOf(request: FastifyRequest): { after: string | null; limit: number } {
  const { after, limit } = request.query as { after?: unknown; limit?: unknown }
  const size = limit === undefined ? PAGE.default : Number(limit)
  if (!Number.isInteger(size) || size < 1 || size > PAGE.most) {
    throw new CoolerError('bad-request', `limit must be a whole number from 1 to ${PAGE.most}`)
  }
  return { after: typeof after === 'string' ? after : null, limit: size }
}

async function describe({ registry, report }: DeviceStores, devices: readonly Device[]): Promise<unknown[]> {
  const numbers = devices.map(({ number }) => number)
  const placements = await registry.placements(numbers)
  const states = await report.states(numbers)
  return devices.map(({ id, number, registeredAt, retiredAt }) => ({
    id,
    registeredAt: iso(registeredAt),
    retiredAt: iso(retiredAt),
    firstHeardAt: iso(states.get(number)?.firstHeardAt ?? null),
    lastHeardAt: iso(states.get(number)?.lastHeardAt ?? null),
    placements: (placements.get(number) ?? []).map(asPlacementBody),
  }))
}

const iso = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString())

function asPlacementBody({ at, seq, lat, lon, zone, address }: Placement): Record<string, unknown> {
  return {
    at: iso(at),
    ...(seq === NO_SEQ ? {} : { seq }),
    lat: Number(plainDegrees(lat)),
    lon: Number(plainDegrees(lon)),
    ...(zone === '' ? {} : { timezone: zone }),
    ...(address === null ? {} : { address }),
  }
}

const CHANGES = ['placements', 'retired', 'retiredAt']
const PLACEMENT_FIELDS = ['at', 'seq', 'lat', 'lon', 'timezone', 'address']

/** What a body says is to change of a device. @throws CoolerError `bad-request` */
export function changeOf(
  id: string,
  body: Record<string, unknown>,
  now: number,
): { placements?: Placement[]; retiredAt?: number | null } {
  refuseUnknown(body, CHANGES, '')
  const { placements, retired, retiredAt } = body
  if (retired !== undefined && retiredAt !== undefined)
    throw new CoolerError('bad-request', 'retired and retiredAt exclude each other')
  if (retired !== undefined && typeof retired !== 'boolean')
    throw new CoolerError('bad-request', 'retired must be true or false')
  return {
    ...(placements === undefined ? {} : { placements: placementsOf(id, placements, now) }),
    ...(retired === undefined ? {} : { retiredAt: retired ? now : null }),
    ...(retiredAt === undefined ? {} : { retiredAt: retirementOf(retiredAt, now) }),
  }
}

/** A field that is misspelt would be a change that is not made. */
function refuseUnknown(value: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const name = JSON.stringify(unknown.slice(0, 100))
  throw new CoolerError('bad-request', `${where}${name} is no field of these: ${known.join(', ')}`)
}

const EARLIEST = parseRfc3339('2000-01-01T00:00:00Z') as number

/** An instant as that of an event, which may be past or planned; null for a device in use. */
function retirementOf(value: unknown, now: number): number | null {
  if (value === null) return null
  const instant = typeof value === 'string' ? parseRfc3339(value) : Number.isInteger(value) ? (value as number) : null
  if (instant !== null && instant >= EARLIEST && instant <= now + FUTURE_MS) return instant
  throw new CoolerError(
    'bad-request',
    'retiredAt must be null, an RFC 3339 text with an offset or epoch milliseconds, from 2000 to ten years ahead',
  )
}

/** Most placements of one device. */
export const MOST_PLACEMENTS = 1000

/** How far ahead a placement may be planned: ten years. */
const FUTURE_MS = 3_653 * millisecondsInDay

/** A placement of the registry is checked as the event of that type is, but it may be planned ahead. */
function placementsOf(id: string, placements: unknown, now: number): Placement[] {
  if (!Array.isArray(placements) || placements.length > MOST_PLACEMENTS) {
    throw new CoolerError('bad-request', `placements must be an array of at most ${MOST_PLACEMENTS}`)
  }
  const batch = new EventBatch()
  for (const [index, placement] of placements.entries()) {
    if (typeof placement === 'object' && placement !== null)
      refuseUnknown(placement, PLACEMENT_FIELDS, `placements[${index}]: `)
    const event =
      typeof placement === 'object' && placement !== null
        ? { ...placement, deviceId: id, type: 'placement' }
        : placement
    const reason = checkEvent(event, { landedAt: now + FUTURE_MS, purgedBefore: 0 }, batch)
    if (reason !== null) throw new CoolerError('bad-request', `placements[${index}]: ${reason}`)
  }
  return batch.placements.map(({ device: _, ...placement }) => placement)
}
