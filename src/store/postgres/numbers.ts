import { encodeText } from '../../base/text-bytes.ts'
import type { Session } from './session.ts'
import { shardOf } from './shard-of.ts'

/** Device numbers of ids, by index of the id. */
export interface Numbers {
  ids: readonly string[]
  number: Int32Array
  /** 1 for an id that is not registered, and has no number yet. */
  fresh: Uint8Array
}

/** A new device. */
interface NewDevice {
  index: number
  shard: number
  local: number
  id: Buffer
}

/** Returns the number of the n-th device of a shard; see placeOf. */
export const numberOf = (shard: number, local: number, shards: number): number => local * shards + shard

/** Returns the place of a device number in the table of devices. */
export const keyOf = (device: number, shards: number): { shard: number; local: number } => ({
  shard: device % shards,
  local: Math.floor(device / shards),
})

/** Finds the numbers of ids and registers new ones. Keeps the numbers that it has seen. */
export class DeviceNumbers {
  readonly #shards: number
  readonly #numbers = new Map<string, number>()
  /** The count of erased devices for which the kept numbers hold: an erased device's id may get another number. */
  #devicesErased = 0

  constructor(shards: number) {
    this.#shards = shards
  }

  /** Forgets all numbers if devices have been erased since they were found; returns whether they still hold. */
  forgetErased(devicesErased: number): boolean {
    if (devicesErased === this.#devicesErased) return true
    this.#numbers.clear()
    this.#devicesErased = devicesErased
    return false
  }

  /** Returns the numbers that are known here, or in the store. */
  async find(session: Session, ids: readonly string[]): Promise<Numbers> {
    const number = new Int32Array(ids.length)
    const fresh = new Uint8Array(ids.length)
    const unknown: { index: number; id: Buffer }[] = []
    for (const [index, id] of ids.entries()) {
      const known = this.#numbers.get(id)
      if (known === undefined) unknown.push({ index, id: encodeText(id) })
      else number[index] = known
    }
    if (unknown.length > 0) {
      const erased = this.#devicesErased
      for (const { index } of unknown) fresh[index] = 1
      const found = await this.#read(session, unknown)
      for (const [index, device] of found) {
        number[index] = device
        fresh[index] = 0
        // Numbers from before an erasure that has become known meanwhile are used, and refused, but not kept.
        if (erased === this.#devicesErased) this.#numbers.set(ids[index], device)
      }
    }
    return { ids, number, fresh }
  }

  async #read(session: Session, ids: readonly { index: number; id: Buffer }[]): Promise<[index: number, number][]> {
    const rows = await session.rows<{ index: number; shard: number; local: number }>(
      `SELECT index, device.shard, local FROM unnest($1::int[], $2::int[], $3::bytea[]) AS asked (index, shard, id)
       JOIN device ON device.shard = asked.shard AND device.id = asked.id`,
      [ids.map(({ index }) => index), ids.map(({ id }) => shardOf(id, this.#shards)), ids.map(({ id }) => id)],
    )
    return rows.map(({ index, shard, local }) => [index, numberOf(shard, local, this.#shards)])
  }

  /**
   * Registers the new ids among some, by an import (0 for none), and completes their numbers. Returns the new ids, whose
   * numbers `keep` takes once the transaction has committed.
   */
  async register(
    session: Session,
    { ids, number, fresh }: Numbers,
    now: number,
    ofImport: number,
  ): Promise<[string, number][]> {
    const devices = await this.#lock(session, ids, fresh)
    // Ids that somebody else registered before we had the locks are known by now.
    const found = new Map(await this.#read(session, devices))
    const registered: NewDevice[] = []
    const next = new Map<number, number>()
    for (const device of devices) {
      const known = found.get(device.index)
      const local = next.get(device.shard) ?? device.local
      number[device.index] = known ?? numberOf(device.shard, local, this.#shards)
      if (known !== undefined) {
        fresh[device.index] = 0
        continue
      }
      registered.push({ ...device, local })
      next.set(device.shard, local + 1)
    }
    await insertDevices(session, registered, now, ofImport)
    await session.run(
      `UPDATE shard_devices SET next_local = given.next FROM unnest($1::int[], $2::int[]) AS given (shard, next)
       WHERE shard_devices.shard = given.shard`,
      [[...next.keys()], [...next.values()]],
    )
    return registered.map(({ index }) => [ids[index], number[index]])
  }

  /** Locks the numbers of the shards of new ids; returns the ids with the next number of their shard. */
  async #lock(session: Session, ids: readonly string[], fresh: Uint8Array): Promise<NewDevice[]> {
    const devices: NewDevice[] = []
    for (const [index, id] of ids.entries()) {
      if (fresh[index] === 0) continue
      const bytes = encodeText(id)
      devices.push({ index, shard: shardOf(bytes, this.#shards), local: 0, id: bytes })
    }
    // In one order, so that nobody waits in a circle.
    const rows = await session.rows<{ shard: number; next: number }>(
      'SELECT shard, next_local AS next FROM shard_devices WHERE shard = ANY($1::int[]) ORDER BY shard FOR UPDATE',
      [[...new Set(devices.map(({ shard }) => shard))]],
    )
    const next = new Map(rows.map((row) => [row.shard, row.next]))
    for (const device of devices) device.local = next.get(device.shard) as number
    return devices
  }

  /** Keeps numbers of ids that a transaction with this count of erased devices has registered for good. */
  keep(registered: readonly [string, number][], devicesErased: number): void {
    if (devicesErased !== this.#devicesErased) return
    for (const [id, number] of registered) this.#numbers.set(id, number)
  }
}

async function insertDevices(
  session: Session,
  devices: readonly NewDevice[],
  now: number,
  ofImport: number,
): Promise<void> {
  await session.run(
    `INSERT INTO device (shard, local, id, registered_at, import)
     SELECT shard, local, id, $1::bigint, $2::int FROM unnest($3::int[], $4::int[], $5::bytea[]) AS fresh (shard, local, id)`,
    [now, ofImport, devices.map(({ shard }) => shard), devices.map(({ local }) => local), devices.map(({ id }) => id)],
  )
}
