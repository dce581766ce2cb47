import { type Labels, labelsText, parseLabels } from '../../base/labels.ts'
import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { Placement } from '../../event/placement.ts'
import type { Device, DeviceChange, LabelledDevice, Registry } from '../registry.ts'
import { LABELS_VERSION, prepared, REGISTRY_VERSION, type Sqlite, writeTransaction } from './connection.ts'
import { addCount, countOf, erasedDevices, noteRegistryChange } from './counters.ts'
import { allDevices, placementsOf } from './json-rows.ts'
import { SqlitePlacements } from './placements.ts'

interface DeviceRow {
  number: number
  id: Buffer
  registeredAt: number
  retiredAt: number | null
  labels: string | null
}

const DEVICE = 'number, id, registered_at AS registeredAt, retired_at AS retiredAt, labels'

/** Device numbers of ids, as of one moment. */
export interface ExpectedNumbers {
  ids: readonly string[]
  /** By index of the id. */
  number: Int32Array
  /** 1 for an id that was not registered. */
  fresh: Uint8Array
  /** The number of the first new device. */
  first: number
  /** The count of erased devices; once it changes, ids may have other numbers. */
  erasedSeen: number
}

export class SqliteRegistry implements Registry {
  readonly #database: Sqlite
  readonly #shards: number
  readonly #placements: SqlitePlacements
  readonly #numbers = new Map<string, number>()

  constructor(database: Sqlite, shards: number) {
    this.#database = database
    this.#shards = shards
    this.#placements = new SqlitePlacements(database, shards)
  }

  async version(): Promise<number> {
    return countOf(this.#database, REGISTRY_VERSION)
  }

  async labelsVersion(): Promise<number> {
    return countOf(this.#database, LABELS_VERSION)
  }

  async labelled(): Promise<LabelledDevice[]> {
    const rows = this.#sql('SELECT id, labels FROM device WHERE labels IS NOT NULL').all() as Pick<
      DeviceRow,
      'id' | 'labels'
    >[]
    return rows.map(({ id, labels }) => ({ id: decodeText(id), labels: parseLabels(labels) }))
  }

  async count(): Promise<number> {
    return (this.#sql('SELECT count(*) AS count FROM device WHERE erased_at IS NULL').get() as { count: number }).count
  }

  /** Numbers are given in turn to all shards. */
  async numberCounts(): Promise<number[]> {
    const next = this.#nextNumber()
    return Array.from({ length: this.#shards }, (_, shard) => Math.max(0, Math.ceil((next - shard) / this.#shards)))
  }

  async devices(): Promise<Device[]> {
    return allDevices(this.#database)
  }

  async devicesAfter(after: string | null, limit: number): Promise<Device[]> {
    const select = this.#sql(`SELECT ${DEVICE} FROM device WHERE id > ? AND erased_at IS NULL ORDER BY id LIMIT ?`)
    return (select.all(encodeText(after ?? ''), limit) as DeviceRow[]).map(asDevice)
  }

  async device(id: string): Promise<Device | null> {
    return (await this.devicesOf([id]))[0] ?? null
  }

  async devicesOf(ids: readonly string[]): Promise<Device[]> {
    const select = this.#sql(`SELECT ${DEVICE} FROM device WHERE id = ?`)
    const rows = ids.map((id) => select.get(encodeText(id)) as DeviceRow | undefined)
    return rows.filter((row) => row !== undefined).map(asDevice)
  }

  async ids(devices: readonly number[]): Promise<Map<number, string>> {
    const select = this.#sql('SELECT id FROM device WHERE number = ? AND erased_at IS NULL')
    const ids = new Map<number, string>()
    for (const device of devices) {
      const row = select.get(device) as { id: Buffer } | undefined
      if (row) ids.set(device, decodeText(row.id))
    }
    return ids
  }

  async placements(devices: readonly number[]): Promise<Map<number, Placement[]>> {
    return this.#placements.of(devices)
  }

  async allPlacements(): Promise<Map<number, Placement[]>> {
    return placementsOf(this.#database, { shard: 0, shards: 1 })
  }

  async placementsOfShard(shard: number): Promise<Map<number, Placement[]>> {
    return placementsOf(this.#database, { shard, shards: this.#shards })
  }

  async devicesOfShard(shard: number): Promise<Device[]> {
    const select = this.#sql(`SELECT ${DEVICE} FROM device WHERE number % ? = ? AND erased_at IS NULL ORDER BY number`)
    return (select.all(this.#shards, shard) as DeviceRow[]).map(asDevice)
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

  #change(id: string, { placements, retiredAt, labels }: DeviceChange, now: number): void {
    const [number] = this.register(this.expectNumbers([id]), now, 0).number
    this.#sql('UPDATE device SET import = 0 WHERE number = ?').run(number)
    if (retiredAt !== undefined) this.#sql('UPDATE device SET retired_at = ? WHERE number = ?').run(retiredAt, number)
    if (labels !== undefined) this.#putLabels(number, labels)
    if (placements !== undefined) this.#placements.replace(number, placements, now)
    this.#changed = true
    this.beforeCommit()
  }

  #putLabels(number: number, labels: Labels): void {
    this.#sql('UPDATE device SET labels = ? WHERE number = ?').run(labelsText(labels), number)
    addCount(this.#database, LABELS_VERSION, 1)
  }

  // ------------------------------------------------------------------ within a transaction of the landing

  #fresh: [string, number][] = []
  #erasedSeen = 0
  #changed = false

  /** Returns the numbers that ids have, and those that new ids will get unless another process registers devices. */
  expectNumbers(ids: readonly string[]): ExpectedNumbers {
    this.#forgetErased()
    const number = new Int32Array(ids.length)
    const fresh = new Uint8Array(ids.length)
    const first = this.#nextNumber()
    let next = first
    for (const [index, id] of ids.entries()) {
      const known = this.#numbers.get(id) ?? this.#find(id)
      number[index] = known ?? next++
      if (known === undefined) fresh[index] = 1
    }
    return { ids, number, fresh, first, erasedSeen: this.#erasedSeen }
  }

  /**
   * Registers the new ids, by an import (0 for none), and returns the numbers of all: `expected` itself if it came true.
   * Call it within a write transaction, then call `committed` or `rolledBack`. `fresh[i]` is 1 if the i-th id is new.
   */
  register(expected: ExpectedNumbers, now: number, ofImport: number): ExpectedNumbers {
    const isTrue = erasedDevices(this.#database) === expected.erasedSeen && this.#nextNumber() === expected.first
    const numbers = isTrue ? expected : this.expectNumbers(expected.ids)
    const { ids, number, fresh } = numbers
    for (let index = 0; index < ids.length; index++) {
      if (fresh[index] === 1) this.#insert(ids[index], number[index], now, ofImport)
    }
    if (this.#fresh.length > 0) this.#changed = true
    return numbers
  }

  /** Forgets the cached numbers once any process has erased devices, whose ids then get new numbers. */
  #forgetErased(): void {
    const erased = erasedDevices(this.#database)
    if (erased === this.#erasedSeen) return
    this.#numbers.clear()
    this.#erasedSeen = erased
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

  /** Returns the number of the next new device. Numbers start at 0 without gaps, as the row of an erased device stays. */
  #nextNumber(): number {
    return this.#sql('SELECT coalesce(max(number) + 1, 0) FROM device').pluck().get() as number
  }

  #insert(id: string, number: number, now: number, ofImport: number): void {
    const insert = this.#sql('INSERT INTO device (number, id, registered_at, import) VALUES (?, ?, ?, ?)')
    insert.run(number, encodeText(id), now, ofImport)
    this.#fresh.push([id, number])
  }

  /** Adds a placement that an event reported; returns whether it is new. See SqlitePlacements.add. */
  addPlacement(device: number, placement: Placement, ofImport: number): boolean {
    const { isNew, isReaddressed } = this.#placements.add(device, placement, ofImport)
    if (isNew || isReaddressed) this.#changed = true
    return isNew
  }

  /** Makes the days of a device due from the start of a changed placement on. */
  duePlacement(device: number, at: number): void {
    this.#placements.due(device, at)
  }

  /** Announces the change to those who cache the registry. Must be the last step of the transaction. */
  beforeCommit(): void {
    if (!this.#changed) return
    this.#changed = false
    noteRegistryChange(this.#database)
  }

  #sql(text: string) {
    return prepared(this.#database, text)
  }
}

const asDevice = ({ number, id, registeredAt, retiredAt, labels }: DeviceRow): Device => ({
  number,
  id: decodeText(id),
  registeredAt,
  retiredAt,
  labels: parseLabels(labels),
})
