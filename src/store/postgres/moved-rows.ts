import { groupBy } from '../../base/group-by.ts'
import { encodeText } from '../../base/text-bytes.ts'
import { encodeBlock } from '../codec/block-codec.ts'
import type { DeviceRows, MovedDevice, MovedReject, MoveTarget } from '../moving.ts'
import { nextCloseAt } from '../rollup-store.ts'
import { writeStates } from './device-states.ts'
import { erasedId } from './erased-rest.ts'
import { keyOf, numberOf } from './numbers.ts'
import type { Session } from './session.ts'
import { shardOf } from './shard-of.ts'
import { upsert } from './upsert.ts'

const bytesOf = (text: string | null): Buffer | null => (text === null ? null : encodeText(text))

/** Registers devices of another store; returns their numbers. Call it within a transaction, as all others here. */
export async function addRows(session: Session, shards: number, devices: readonly MovedDevice[]): Promise<number[]> {
  const rows = await session.rows<{ next: number }>(
    'SELECT next_local AS next FROM shard_devices WHERE shard >= 0 ORDER BY shard FOR UPDATE',
  )
  const next = rows.map((row) => row.next)
  const placed = devices.map(({ number, id, registeredAt }) => {
    const shard = id === null ? number % shards : shardOf(encodeText(id), shards)
    const local = next[shard]++
    const target = numberOf(shard, local, shards)
    return { source: number, target, shard, local, id: bytesOf(id) ?? erasedId(target), registeredAt }
  })
  await freeIds(session, shards, placed)
  const columns = { key: ['shard', 'local'], others: ['id', 'registered_at'] }
  await upsert(
    session,
    'device',
    columns,
    placed.map((row) => [row.shard, row.local, row.id, row.registeredAt]),
  )
  await upsert(
    session,
    'moved_device',
    { key: ['source'], others: ['target'] },
    placed.map(({ source, target }) => [source, target]),
  )
  await session.run(
    `UPDATE shard_devices SET next_local = given.next FROM unnest($1::int[], $2::int[]) AS given (shard, next)
     WHERE shard_devices.shard = given.shard`,
    [[...next.keys()], next],
  )
  return placed.map(({ target }) => target)
}

/** Takes ids from devices that have been erased in the source since they were copied: they are new devices' now. */
async function freeIds(
  session: Session,
  shards: number,
  placed: readonly { shard: number; id: Buffer }[],
): Promise<void> {
  const holders = await session.rows<{ shard: number; local: number }>(
    `SELECT device.shard, local FROM unnest($1::int[], $2::bytea[]) AS asked (shard, id)
     JOIN device ON device.shard = asked.shard AND device.id = asked.id`,
    [placed.map(({ shard }) => shard), placed.map(({ id }) => id)],
  )
  for (const { shard, local } of holders) {
    const id = erasedId(numberOf(shard, local, shards))
    await session.run('UPDATE device SET id = $3, erased_at = 0 WHERE shard = $1 AND local = $2', [shard, local, id])
  }
}

/** Replaces the rows of devices and of all that is stored of them. */
export async function putDeviceRows(
  session: Session,
  shards: number,
  { devices, placements, revisions, states }: DeviceRows,
): Promise<void> {
  const rows = devices.map((device) => ({ ...device, ...keyOf(device.number, shards) }))
  await upsert(
    session,
    'device',
    { key: ['shard', 'local'], others: ['id', 'registered_at', 'retired_at', 'import', 'erased_at', 'labels'] },
    // An id that was erased may be that of a newer device: it is given up before it is taken.
    rows
      .sort((one, other) => Number(one.id !== null) - Number(other.id !== null))
      .map(({ shard, local, number, id, registeredAt, retiredAt, ofImport, erasedAt, labels }) => {
        const kept = bytesOf(id) ?? erasedId(number)
        return [shard, local, kept, registeredAt, retiredAt, ofImport, erasedAt, labels]
      }),
  )
  for (const [shard, ofShard] of groupBy(rows, (row) => row.shard)) {
    const numbers = ofShard.map(({ number }) => number)
    for (const table of ['placement', 'revision'])
      await session.run(`DELETE FROM ${table} WHERE shard = $1 AND device = ANY($2::int[])`, [shard, numbers])
    const own = numbers.map((number) => [number, states.get(number) ?? null] as const)
    await writeStates(session, shard, shards, new Map(own))
  }
  await upsert(
    session,
    'placement',
    {
      key: ['shard', 'device', 'at', 'seq', 'lat', 'lon', 'zone'],
      others: ['address', 'removed_at', 'sources'],
    },
    placements.map(({ device, at, seq, lat, lon, zone, address, removedAt, sources }) => {
      return [device % shards, device, at, seq, lat, lon, zone, bytesOf(address), removedAt, sources]
    }),
  )
  await upsert(
    session,
    'revision',
    { key: ['shard', 'device', 'day', 'number'], others: ['revised_at', 'causes', 'old'] },
    revisions.map(({ device, day, number, revisedAt, causes, old }) => {
      return [device % shards, device, day, number, revisedAt, causes, old]
    }),
  )
}

/** Replaces the rollups of shards on a local day. The sums of its week are made again by the upkeep. */
export async function putRollupRows(
  session: Session,
  { day, shards }: Parameters<MoveTarget['putRollups']>[1],
  blocks: Parameters<MoveTarget['putRollups']>[2],
): Promise<void> {
  await session.run('DELETE FROM rollup_block WHERE shard = ANY($1::int[]) AND day = $2', [shards, day])
  await upsert(
    session,
    'rollup_block',
    { key: ['shard', 'block', 'day'], others: ['next_close_at', 'body'] },
    blocks.map(({ shard, block, rollups }) => {
      return [shard, block, day, nextCloseAt(rollups), encodeBlock(rollups, [shard, block, day])]
    }),
  )
}

/** Adds rejected events with their ids. */
export async function putRejects(session: Session, rejects: readonly MovedReject[]): Promise<void> {
  await session.run(
    `INSERT INTO reject (id, rejected_at, reason, raw_bytes, raw, device_id, at, import) OVERRIDING SYSTEM VALUE
     SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::bytea[], $6::bytea[], $7::bigint[], $8::int[])`,
    [
      rejects.map(({ id }) => id),
      rejects.map(({ rejectedAt }) => rejectedAt),
      rejects.map(({ reason }) => reason),
      rejects.map(({ rawBytes }) => rawBytes),
      rejects.map(({ raw }) => encodeText(raw)),
      rejects.map(({ deviceId }) => bytesOf(deviceId)),
      rejects.map(({ at }) => at),
      rejects.map(({ ofImport }) => ofImport),
    ],
  )
}
