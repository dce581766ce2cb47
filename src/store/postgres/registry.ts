import { groupBy } from '../../base/group-by.ts'
import { labelsText, parseLabels } from '../../base/labels.ts'
import { decodeText, encodeText } from '../../base/text-bytes.ts'
import { type Placement, placementsByDevice } from '../../event/placement.ts'
import type { Device, DeviceChange, LabelledDevice, Registry } from '../registry.ts'
import type { CopiedRow } from './copy-binary.ts'
import { LABELS_VERSION, noteRegistryChange, REGISTRY_VERSION } from './counters.ts'
import type { Postgres } from './database.ts'
import { shareGuard } from './guard.ts'
import { type DeviceNumbers, keyOf, numberOf } from './numbers.ts'
import { readPlacements, replacePlacements } from './placements.ts'
import { int, type Session } from './session.ts'
import { shardOf } from './shard-of.ts'

interface DeviceRow {
  shard: number
  local: number
  id: Buffer
  registeredAt: number
  retiredAt: number | null
  labels: string | null
}

const DEVICE = 'shard, local, id, registered_at AS "registeredAt", retired_at AS "retiredAt", labels'

export class PostgresRegistry implements Registry {
  readonly #session: Session
  readonly #database: Postgres
  readonly #shards: number
  readonly #numbers: DeviceNumbers

  constructor(session: Session, database: Postgres, shards: number, numbers: DeviceNumbers) {
    this.#session = session
    this.#database = database
    this.#shards = shards
    this.#numbers = numbers
  }

  async version(): Promise<number> {
    const [{ version }] = await this.#session.rows<{ version: number }>(`SELECT ${REGISTRY_VERSION} AS version`)
    return version
  }

  async labelsVersion(): Promise<number> {
    const [{ version }] = await this.#session.rows<{ version: number }>(`SELECT ${LABELS_VERSION} AS version`)
    return version
  }

  async labelled(): Promise<LabelledDevice[]> {
    const rows = await this.#session.rows<Pick<DeviceRow, 'id' | 'labels'>>(
      'SELECT id, labels FROM device WHERE shard >= 0 AND labels IS NOT NULL',
    )
    return rows.map(({ id, labels }) => ({ id: decodeText(id), labels: parseLabels(labels) }))
  }

  async count(): Promise<number> {
    const [{ count }] = await this.#session.rows<{ count: number }>(
      'SELECT count(*) AS count FROM device WHERE shard >= 0 AND erased_at IS NULL',
    )
    return count
  }

  async numberCounts(): Promise<number[]> {
    const rows = await this.#session.rows<{ next: number }>(
      'SELECT next_local AS next FROM shard_devices ORDER BY shard',
    )
    return rows.map(({ next }) => next)
  }

  async devices(): Promise<Device[]> {
    const devices: Device[] = []
    await this.#session.copyOut(`SELECT ${DEVICE} FROM device WHERE erased_at IS NULL ORDER BY id`, (row) =>
      devices.push(this.#copied(row)),
    )
    return devices
  }

  #copied(row: CopiedRow): Device {
    return {
      number: numberOf(row.int(0), row.int(1), this.#shards),
      id: decodeText(row.view(2)),
      registeredAt: row.int(3),
      retiredAt: row.intOrNull(4),
      labels: parseLabels(row.isNull(5) ? null : row.text(5)),
    }
  }

  async devicesAfter(after: string | null, limit: number): Promise<Device[]> {
    const rows = await this.#session.rows<DeviceRow>(
      `SELECT ${DEVICE} FROM device WHERE id > $1 AND erased_at IS NULL ORDER BY id LIMIT $2`,
      [encodeText(after ?? ''), limit],
    )
    return rows.map((row) => this.#device(row))
  }

  async device(id: string): Promise<Device | null> {
    return (await this.devicesOf([id]))[0] ?? null
  }

  async devicesOf(ids: readonly string[]): Promise<Device[]> {
    const bytes = ids.map(encodeText)
    const rows = await this.#session.rows<DeviceRow & { nth: number }>(
      `SELECT nth, device.${DEVICE.replaceAll(', ', ', device.')}
       FROM unnest($1::int[], $2::bytea[]) WITH ORDINALITY AS asked (shard, id, nth)
       JOIN device ON device.shard = asked.shard AND device.id = asked.id ORDER BY nth`,
      [bytes.map((id) => shardOf(id, this.#shards)), bytes],
    )
    return rows.map((row) => this.#device(row))
  }

  #device({ shard, local, id, registeredAt, retiredAt, labels }: DeviceRow): Device {
    const number = numberOf(shard, local, this.#shards)
    return { number, id: decodeText(id), registeredAt, retiredAt, labels: parseLabels(labels) }
  }

  async ids(devices: readonly number[]): Promise<Map<number, string>> {
    const keys = devices.map((device) => keyOf(device, this.#shards))
    const rows = await this.#session.rows<Pick<DeviceRow, 'shard' | 'local' | 'id'>>(
      `SELECT device.shard, device.local, id FROM unnest($1::int[], $2::int[]) AS asked (shard, local)
       JOIN device ON device.shard = asked.shard AND device.local = asked.local WHERE erased_at IS NULL`,
      [keys.map(({ shard }) => shard), keys.map(({ local }) => local)],
    )
    const found = new Map(rows.map(({ shard, local, id }) => [numberOf(shard, local, this.#shards), decodeText(id)]))
    return new Map(devices.flatMap((device) => (found.has(device) ? [[device, found.get(device) as string]] : [])))
  }

  async placements(devices: readonly number[]): Promise<Map<number, Placement[]>> {
    const byShard = groupBy(devices, (device) => device % this.#shards)
    const placed: [number, Placement][] = []
    for (const [shard, ofShard] of byShard) {
      placed.push(...(await readPlacements(this.#session, { shard, devices: ofShard })))
    }
    return placementsByDevice(placed)
  }

  async allPlacements(): Promise<Map<number, Placement[]>> {
    return placementsByDevice(await readPlacements(this.#session, {}))
  }

  async devicesOfShard(shard: number): Promise<Device[]> {
    const rows = await this.#session.rows<DeviceRow>(
      `SELECT ${DEVICE} FROM device WHERE shard = $1 AND erased_at IS NULL ORDER BY local`,
      [shard],
    )
    return rows.map((row) => this.#device(row))
  }

  async placementsOfShard(shard: number): Promise<Map<number, Placement[]>> {
    return placementsByDevice(await readPlacements(this.#session, { shard }))
  }

  async zones(): Promise<string[]> {
    const rows = await this.#session.rows<{ zone: string }>(
      'SELECT DISTINCT zone FROM placement WHERE shard >= 0 AND removed_at IS NULL',
    )
    return rows.map(({ zone }) => zone)
  }

  async put(id: string, { placements, retiredAt, labels }: DeviceChange, now: number): Promise<Device> {
    const [registered, erased] = await this.#database.transaction(async (session) => {
      const { devicesErased } = await shareGuard(session)
      this.#numbers.forgetErased(devicesErased)
      const numbers = await this.#numbers.find(session, [id])
      const fresh = numbers.fresh[0] === 0 ? [] : await this.#numbers.register(session, numbers, now, 0)
      const { shard, local } = keyOf(numbers.number[0], this.#shards)
      const key = `shard = ${int(shard)} AND local = ${int(local)}`
      await session.run(`UPDATE device SET import = 0 WHERE ${key}`)
      if (retiredAt !== undefined) await session.run(`UPDATE device SET retired_at = $1 WHERE ${key}`, [retiredAt])
      if (labels !== undefined) await session.run(`UPDATE device SET labels = $1 WHERE ${key}`, [labelsText(labels)])
      if (placements !== undefined)
        await replacePlacements(session, { shard, device: numbers.number[0] }, placements, now)
      await noteRegistryChange(session, labels !== undefined)
      return [fresh, devicesErased] as const
    })
    this.#numbers.keep(registered, erased)
    return (await this.device(id)) as Device
  }
}
