import { prepared, REGISTRY_VERSION, type Sqlite, writeTransaction } from '../sqlite.ts'
import { decodeText, encodeText } from '../text-bytes.ts'
import { type Placement, placementsByDevice } from './placement.ts'
import { END_OF_TIME } from './raw-store.ts'
import type { Device, DeviceChange, Registry } from './registry.ts'
import { allDevices, placementsOf } from './sqlite-json-rows.ts'

interface DeviceRow {
  number: number
  id: Buffer
  registeredAt: number
  retiredAt: number | null
}

type PlacementRow = Omit<Placement, 'address'> & { device: number; address: Buffer | null }

const DEVICE = 'number, id, registered_at AS registeredAt, retired_at AS retiredAt'
const PLACEMENT = 'device, at, seq, lat, lon, zone, address'

export class SqliteRegistry implements Registry {
  readonly #database: Sqlite
  readonly #shards: number
  readonly #numbers = new Map<string, number>()

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
  }

  async version(): Promise<number> {
    return this.#version()
  }

  #version(): number {
    const row = this.#sql('SELECT value FROM counter WHERE name = ?').get(REGISTRY_VERSION) as
      | { value: number }
      | undefined
    return row?.value ?? 0
  }

  async count(): Promise<number> {
    return (this.#sql('SELECT count(*) AS count FROM device').get() as { count: number }).count
  }

  async devices(): Promise<Device[]> {
    return allDevices(this.#database)
  }

  async devicesAfter(after: string | null, limit: number): Promise<Device[]> {
    const select = this.#sql(`SELECT ${DEVICE} FROM device WHERE id > ? ORDER BY id LIMIT ?`)
    return (select.all(encodeText(after ?? ''), limit) as DeviceRow[]).map(asDevice)
  }

  async device(id: string): Promise<Device | null> {
    const row = this.#sql(`SELECT ${DEVICE} FROM device WHERE id = ?`).get(encodeText(id)) as DeviceRow | undefined
    return row ? asDevice(row) : null
  }

  async ids(devices: readonly number[]): Promise<Map<number, string>> {
    const select = this.#sql('SELECT id FROM device WHERE number = ?')
    const ids = new Map<number, string>()
    for (const device of devices) {
      const row = select.get(device) as { id: Buffer } | undefined
      if (row) ids.set(device, decodeText(row.id))
    }
    return ids
  }

  async placements(devices: readonly number[]): Promise<Map<number, Placement[]>> {
    const select = this.#sql(`SELECT ${PLACEMENT} FROM placement WHERE device = ? AND removed_at IS NULL`)
    return ordered(devices.flatMap((device) => select.all(device) as PlacementRow[]))
  }

  async allPlacements(): Promise<Map<number, Placement[]>> {
    return placementsOf(this.#database, { shard: 0, shards: 1 })
  }

  async placementsOfShard(shard: number): Promise<Map<number, Placement[]>> {
    return placementsOf(this.#database, { shard, shards: this.#shards })
  }

  async zones(): Promise<string[]> {
    return this.#sql('SELECT DISTINCT zone FROM placement WHERE removed_at IS NULL').pluck().all() as string[]
  }

  async put(id: string, change: DeviceChange, now: number): Promise<Device> {
    try {
      writeTransaction(this.#database, () => this.#change(id, change, now))
    } catch (error) {
      this.rolledBack()
      throw error
    }
    this.committed()
    return (await this.device(id)) as Device
  }

  #change(id: string, { placements, retiredAt }: DeviceChange, now: number): void {
    const [number] = this.register([id], now).number
    if (retiredAt !== undefined) this.#sql('UPDATE device SET retired_at = ? WHERE number = ?').run(retiredAt, number)
    if (placements !== undefined) this.#replacePlacements(number, placements, now)
    this.#changed = true
    this.beforeCommit()
  }

  // ------------------------------------------------------------------ within a transaction of the landing

  #fresh: [string, number][] = []
  #changed = false

  /**
   * Numbers of these ids, new ones registered. To be called within a write transaction; `committed` or `rolledBack`
   * must follow it. `fresh[i]` tells whether the i-th id is new.
   */
  register(ids: readonly string[], now: number): { number: Int32Array; fresh: Uint8Array } {
    const number = new Int32Array(ids.length)
    const fresh = new Uint8Array(ids.length)
    for (const [index, id] of ids.entries()) {
      const known = this.#numbers.get(id) ?? this.#find(id)
      number[index] = known ?? this.#insert(id, now)
      fresh[index] = known === undefined ? 1 : 0
    }
    if (this.#fresh.length > 0) this.#changed = true
    return { number, fresh }
  }

  committed(): void {
    for (const [id, number] of this.#fresh) this.#numbers.set(id, number)
    this.#fresh = []
  }

  rolledBack(): void {
    this.#fresh = []
    this.#changed = false
  }

  #find(id: string): number | undefined {
    const row = this.#sql('SELECT number FROM device WHERE id = ?').get(encodeText(id)) as
      | { number: number }
      | undefined
    if (row) this.#numbers.set(id, row.number)
    return row?.number
  }

  /** The first device has number 0, the next ones follow without a hole: no device is ever deleted. */
  #insert(id: string, now: number): number {
    const next = this.#sql('SELECT coalesce(max(number) + 1, 0) AS number FROM device').get() as { number: number }
    this.#sql('INSERT INTO device (number, id, registered_at) VALUES (?, ?, ?)').run(next.number, encodeText(id), now)
    this.#fresh.push([id, next.number])
    return next.number
  }

  /** Adds a placement that an event told; gives whether it is new. A repeat may bring a further address. */
  addPlacement(device: number, placement: Placement): boolean {
    const { at, seq, lat, lon, zone } = placement
    const address = addressBytes(placement)
    const insert = this.#sql(`INSERT INTO placement (${PLACEMENT}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
    const added = insert.run(device, at, seq, lat, lon, zone, address).changes === 1
    // Of the addresses that repeats of one event bring, the greatest is kept, in whatever order they came.
    const update = this.#sql(
      `UPDATE placement SET address = ? WHERE device = ? AND at = ? AND seq = ? AND lat = ? AND lon = ? AND zone = ?
       AND (address IS NULL OR address < ?)`,
    )
    const readdressed =
      !added && address !== null && update.run(address, device, at, seq, lat, lon, zone, address).changes === 1
    if (added || readdressed) this.#changed = true
    return added
  }

  /** Writes that a device's days are due from the start of a changed placement on. */
  duePlacement(device: number, at: number): void {
    const earlier = this.#sql('SELECT 1 FROM placement WHERE device = ? AND at < ? AND removed_at IS NULL LIMIT 1').get(
      device,
      at,
    )
    // The first placement holds for the time before it, too. A later one may end the day before it: at the very instant
    // from which it holds, where a day begins there in its zone.
    const from = earlier === undefined ? 0 : at - 1
    const insert = this.#sql(
      "INSERT INTO due_device (shard, device, from_at, to_at, cause) VALUES (?, ?, ?, ?, 'placement')",
    )
    insert.run(device % this.#shards, device, from, END_OF_TIME)
  }

  #replacePlacements(device: number, placements: readonly Placement[], now: number): void {
    const key = ({ at, seq, lat, lon, zone }: Omit<Placement, 'address'>) => `${at} ${seq} ${lat} ${lon} ${zone}`
    const select = this.#sql(`SELECT ${PLACEMENT} FROM placement WHERE device = ? AND removed_at IS NULL`)
    const old = new Map((select.all(device) as PlacementRow[]).map((row) => [key(row), row]))
    const remove = this.#sql(
      'UPDATE placement SET removed_at = ? WHERE device = ? AND at = ? AND seq = ? AND lat = ? AND lon = ? AND zone = ?',
    )
    const insert = this.#sql(
      `INSERT INTO placement (${PLACEMENT}) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET address = excluded.address, removed_at = NULL`,
    )
    const changed: number[] = []
    for (const placement of placements) {
      const { at, seq, lat, lon, zone } = placement
      insert.run(device, at, seq, lat, lon, zone, addressBytes(placement))
      if (!old.delete(key(placement))) changed.push(at)
    }
    for (const { at, seq, lat, lon, zone } of old.values()) {
      remove.run(now, device, at, seq, lat, lon, zone)
      changed.push(at)
    }
    if (changed.length > 0) this.duePlacement(device, Math.min(...changed))
  }

  /** The last step of the transaction: makes the change known to those who keep what they read. */
  beforeCommit(): void {
    if (!this.#changed) return
    this.#changed = false
    this.#sql('INSERT INTO counter (name, value) VALUES (?, 1) ON CONFLICT DO UPDATE SET value = value + 1').run(
      REGISTRY_VERSION,
    )
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

const addressBytes = ({ address }: Placement): Buffer | null => (address === null ? null : encodeText(address))

const asDevice = ({ number, id, registeredAt, retiredAt }: DeviceRow): Device => ({
  number,
  id: decodeText(id),
  registeredAt,
  retiredAt,
})

const ordered = (rows: readonly PlacementRow[]): Map<number, Placement[]> =>
  placementsByDevice(
    rows.map(({ device, address, ...rest }) => [device, { ...rest, address: address && decodeText(address) }]),
  )
