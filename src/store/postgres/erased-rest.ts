import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { EventColumns } from '../../event/event-columns.ts'
import type { DeviceRest, ErasedRest } from '../erase-store.ts'
import { isToldByOthers } from '../placement-sources.ts'
import { decodeRow } from '../segment-rows.ts'
import { Additions, noteRegistryChange } from './counters.ts'
import type { Postgres } from './database.ts'
import { readStates } from './device-states.ts'
import { eraseTold, withdrawNotices } from './erased-notices.ts'
import { lockGuard, refuseNewerNow } from './guard.ts'
import { numberOf } from './numbers.ts'
import { countToldBy, countWithin, eraseWithin, takeBack } from './placements.ts'
import { int, type Session } from './session.ts'

/** Most devices that one transaction changes. */
const DEVICES_A_STEP = 2000
/** No id of a device begins with this byte. */
const ERASED_ID = 0xff

/** Erases what is stored of devices and imports in addition to events in columns. */
export class PostgresErasedRest {
  readonly #session: Session
  readonly #database: Postgres
  readonly #shards: number

  constructor(session: Session, database: Postgres, shards: number) {
    this.#session = session
    this.#database = database
    this.#shards = shards
  }

  async countOfDevice(rest: DeviceRest, session: Session): Promise<ErasedRest> {
    const { device, fromAt, toAt, placements } = rest
    const place = { shard: device % this.#shards, device }
    return {
      rejects: (await rejectsOf(session, rest)).length,
      placements: placements ? await countWithin(session, place, fromAt, toAt) : 0,
      devices: 0,
    }
  }

  ofDevice(rest: DeviceRest): Promise<ErasedRest> {
    const { device, fromAt, toAt } = rest
    return this.#database.transaction(async (session) => {
      await refuseNewerNow(session)
      const erased = await this.countOfDevice(rest, session)
      await session.run('DELETE FROM reject WHERE id = ANY($1::bigint[])', [await rejectsOf(session, rest)])
      if (!rest.placements) return erased
      await eraseWithin(session, { shard: device % this.#shards, device }, fromAt, toAt)
      await withdrawNotices(session, this.#shards, device % this.#shards, [device])
      await noteErased(session, erased.placements)
      return erased
    })
  }

  async countOfImport(ofImport: number): Promise<ErasedRest> {
    const [{ rejects }] = await this.#session.rows<{ rejects: number }>(
      'SELECT count(*) AS rejects FROM reject WHERE import = $1',
      [ofImport],
    )
    return { rejects, placements: await countToldBy(this.#session, ofImport, this.#shards), devices: 0 }
  }

  async ofImport(ofImport: number, now: number): Promise<ErasedRest> {
    const rejects = await this.#database.transaction(async (session) => {
      await refuseNewerNow(session)
      return session.run('DELETE FROM reject WHERE import = $1', [ofImport])
    })
    return {
      rejects,
      placements: await this.#takeBackPlacements(ofImport),
      devices: await this.#eraseDevices(ofImport, now),
    }
  }

  async #takeBackPlacements(ofImport: number): Promise<number> {
    let total = 0
    for (let shard = 0; shard < this.#shards; shard++) {
      for (let after: number | null = -1; after !== null; ) {
        const from: number = after
        const step = await this.#database.transaction(async (session) => {
          const taken = await takeBack(session, ofImport, shard, from, DEVICES_A_STEP)
          if (taken !== null) {
            await withdrawNotices(session, this.#shards, shard, taken.devices)
            await noteErased(session, taken.erased)
          }
          return taken
        })
        total += step?.erased ?? 0
        after = step?.last ?? null
      }
    }
    return total
  }

  async devicesOf(ofImport: number): Promise<number[]> {
    const rows = await this.#session.rows<{ shard: number; local: number; sources: (string | null)[] }>(
      `SELECT shard, local, (
         SELECT coalesce(array_agg(sources), '{}') FROM placement
         WHERE placement.shard = device.shard AND placement.device = local * $2::int + device.shard) AS sources
       FROM device WHERE import = $1 AND erased_at IS NULL AND retired_at IS NULL ORDER BY local, shard`,
      [ofImport, this.#shards],
    )
    return rows
      .filter(({ sources }) => !sources.some((text) => isToldByOthers(text, ofImport)))
      .map(({ shard, local }) => numberOf(shard, local, this.#shards))
  }

  /** Erases devices with nothing but their own row, one shard after the other. */
  async #eraseDevices(ofImport: number, now: number): Promise<number> {
    let total = 0
    for (let shard = 0; shard < this.#shards; shard++) {
      const waiting = new WaitingDevices(shard)
      await waiting.readNew(this.#session)
      for (let after: number | null = -1; after !== null; ) {
        const step = await this.#eraseSome(ofImport, shard, after, now, waiting)
        total += step.erased
        after = step.last
      }
    }
    return total
  }

  /** Nothing lands meanwhile: whoever landed before has committed, and whoever comes after sees the erasure. */
  #eraseSome(
    ofImport: number,
    shard: number,
    after: number,
    now: number,
    waiting: WaitingDevices,
  ): Promise<{ erased: number; last: number | null }> {
    return this.#database.transaction(async (session) => {
      await lockGuard(session)
      // Devices with events that no rollup has taken up yet have no state until then.
      await waiting.readNew(session)
      const rows = await session.rows<{ local: number }>(
        `SELECT local FROM device WHERE shard = $1 AND import = $2 AND local > $3 AND erased_at IS NULL
         AND retired_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM placement WHERE placement.shard = $1 AND placement.device = local * $4::int + $1)
         ORDER BY local LIMIT $5`,
        [shard, ofImport, after, this.#shards, DEVICES_A_STEP],
      )
      const devices = rows.map(({ local }) => numberOf(shard, local, this.#shards))
      const states = await readStates(session, this.#shards, devices)
      const gone = devices.filter((device) => !states.has(device) && !waiting.devices.has(device))
      if (gone.length > 0) await this.#eraseRows(session, shard, gone, now)
      return { erased: gone.length, last: rows[rows.length - 1]?.local ?? null }
    })
  }

  /** Erases devices. Their rows stay, as numbers have no gaps; the rollups stored by their numbers are already due. */
  async #eraseRows(session: Session, shard: number, devices: readonly number[], now: number): Promise<void> {
    await session.run(
      `UPDATE device SET id = gone.id, erased_at = $2, labels = NULL FROM unnest($3::int[], $4::bytea[]) AS gone (local, id)
       WHERE device.shard = $1 AND device.local = gone.local`,
      [shard, now, devices.map((device) => Math.floor(device / this.#shards)), devices.map(erasedId)],
    )
    await session.run('DELETE FROM revision WHERE shard = $1 AND device = ANY($2::int[])', [shard, devices])
    await eraseTold(session, this.#shards, shard, devices)
    await session.run('UPDATE guard SET devices_erased = devices_erased + $1 WHERE id = 1', [devices.length])
    await noteRegistryChange(session)
  }
}

/** Returns what is stored instead of the id of an erased device. */
export function erasedId(device: number): Buffer {
  const id = Buffer.from(`?${device}`)
  id[0] = ERASED_ID
  return id
}

async function noteErased(session: Session, placements: number): Promise<void> {
  const additions = new Additions()
  additions.add('registry', 1)
  additions.add('erased', placements)
  await additions.write(session)
}

async function rejectsOf(session: Session, { deviceId, fromAt, toAt, isReject }: DeviceRest): Promise<number[]> {
  const rows = await session.rows<{ id: number; raw: Buffer }>(
    `SELECT id, raw FROM reject
     WHERE device_id = $1 AND coalesce(at, rejected_at) >= $2 AND coalesce(at, rejected_at) < $3`,
    [encodeText(deviceId), fromAt, toAt],
  )
  return rows.filter(({ raw }) => isReject(decodeText(raw))).map(({ id }) => id)
}

/** Devices of a shard with events that no rollup has taken up yet. */
class WaitingDevices {
  readonly devices = new Set<number>()
  readonly #shard: number
  readonly #read = new Set<number>()

  constructor(shard: number) {
    this.#shard = shard
  }

  /** Reads the segments that have landed since the last call; only few if that was a moment ago. */
  async readNew(session: Session): Promise<void> {
    const due = await session.rows<{ id: number }>('SELECT segment AS id FROM due_segment WHERE shard = $1', [
      this.#shard,
    ])
    const fresh = due.map(({ id }) => id).filter((id) => !this.#read.has(id))
    if (fresh.length === 0) return
    await session.copyOut(
      `SELECT utc_day, count, body FROM segment WHERE shard = ${int(this.#shard)} AND (utc_day, id) IN (
         SELECT utc_day, segment FROM due_segment WHERE shard = ${int(this.#shard)}
         AND segment IN (${fresh.map(int).join(',')}))`,
      (row) => {
        const [utcDay, count] = [row.int(0), row.int(1)]
        const stored = { id: 0, shard: this.#shard, utcDay, count, lastAt: 0, ofImport: 0, body: row.bytes(2) }
        const { device } = decodeRow(stored) as EventColumns
        for (let place = 0; place < count; place++) this.devices.add(device[place])
      },
    )
    for (const id of fresh) this.#read.add(id)
  }
}
