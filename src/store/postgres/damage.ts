import { decodeBlock } from '../codec/block-codec.ts'
import { decodeCompacted } from '../codec/compact-codec.ts'
import { decodeMessage } from '../codec/message-codec.ts'
import { decodeSegment } from '../codec/segment-codec.ts'
import { decodeStates } from '../codec/state-codec.ts'
import { decodeTold } from '../codec/told-codec.ts'
import { type Damage, DamageCount } from '../damage.ts'
import { decodeBody } from '../damaged-events.ts'
import { placeOfWeek } from '../week.ts'
import type { CopiedRow } from './copy-binary.ts'
import { Postgres } from './database.ts'
import { FIRST_KEPT_DAY } from './guard.ts'
import { int } from './session.ts'

/** A kind of bodies: the columns before the body, and how one is read. */
interface Bodies {
  table: string
  columns: string
  where?: string
  read(row: CopiedRow): unknown
}

const KEPT = `AND utc_day >= ${FIRST_KEPT_DAY}`

const BODIES: readonly Bodies[] = [
  {
    table: 'segment',
    columns: 'shard, utc_day, count',
    where: KEPT,
    read(row) {
      const [shard, utcDay, events] = [0, 1, 2].map((field) => row.int(field))
      const damage = { utcDay, events, group: null }
      return decodeBody({ body: row.bytes(3), shard, damage }, [shard, utcDay], decodeSegment)
    },
  },
  {
    table: 'compacted',
    columns: 'shard, utc_day, device_group, count',
    where: KEPT,
    read(row) {
      const [shard, utcDay, group, events] = [0, 1, 2, 3].map((field) => row.int(field))
      const damage = { utcDay, events, group }
      return decodeBody({ body: row.bytes(4), shard, damage }, [shard, utcDay, group], decodeCompacted)
    },
  },
  {
    table: 'rollup_block',
    columns: 'shard, block, day',
    read: (row) => decodeBlock(row.bytes(3), [row.int(0), row.int(1), row.int(2)]),
  },
  {
    table: 'rollup_week',
    columns: 'shard, block, week',
    read: (row) => decodeBlock(row.bytes(3), placeOfWeek(row.int(0), row.int(1), row.int(2))),
  },
  {
    table: 'state_block',
    columns: 'shard, block',
    read: (row) => decodeStates(row.bytes(2), [row.int(0), row.int(1)]),
  },
  {
    table: 'told',
    columns: 'shard, day, subscription',
    read: (row) => decodeTold(row.bytes(3), { shard: row.int(0), day: row.int(1), subscription: row.text(2) }, 1),
  },
]

/**
 * Reads and checks every body and every state of a store in a database, a shard at a time: each in a statement of its
 * own, as one state of the whole store would keep vacuum waiting for as long.
 *
 * @throws CoolerError `store-busy`
 */
export async function findDatabaseDamage(location: string): Promise<Damage> {
  const database = new Postgres(location)
  try {
    const count = new DamageCount()
    const shards = await database.session.rows<{ shard: number }>('SELECT shard FROM shard ORDER BY shard')
    for (const { shard } of shards) {
      for (const { table, columns, where = '', read } of BODIES) {
        await database.session.copyOut(
          `SELECT ${columns}, body FROM ${table} WHERE shard = ${int(shard)} ${where}`,
          (row) => count.add(() => read(row)),
        )
      }
    }
    await database.session.copyOut('SELECT id, body FROM message', (row) =>
      count.add(() => decodeMessage(row.bytes(1), row.text(0))),
    )
    return count.damage
  } finally {
    await database.close()
  }
}
