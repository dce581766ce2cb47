import { groupBy } from '../../base/group-by.ts'
import { decodeBlock, emptyBlock, encodeBlock } from '../codec/block-codec.ts'
import type { DeviceDay } from '../device-day.ts'
import { nextCloseAt, type RollupCommit } from '../rollup-store.ts'
import { forgetWeeks } from './rollup-weeks.ts'
import { int, ints, type Session } from './session.ts'
import { upsert } from './upsert.ts'

type Changes = RollupCommit['changes']

/** Merges changed slots into the blocks of a shard, which the caller has locked. @throws CoolerError `store-damaged` */
export async function mergeBlocks(session: Session, shard: number, changes: Changes): Promise<void> {
  const rows = [...changes].flatMap(([block, days]) => [...days].map(([day, slots]) => ({ block, day, slots })))
  const stored = await readBodiesOf(session, shard, rows)
  await forgetWeeks(session, shard, rows)
  const written: unknown[][] = []
  for (const { block, day, slots } of rows) {
    const merged = mergeBlock(stored.get(`${block} ${day}`), [shard, block, day], slots)
    if (merged.every((rollup) => rollup === null)) await removeBlock(session, shard, block, day)
    else written.push([shard, block, day, nextCloseAt(merged), encodeBlock(merged, [shard, block, day])])
  }
  const columns = { key: ['shard', 'block', 'day'], others: ['next_close_at', 'body'] }
  await upsert(session, 'rollup_block', columns, written)
}

function mergeBlock(
  stored: Buffer | undefined,
  place: readonly [number, number, number],
  slots: ReadonlyMap<number, DeviceDay | null>,
): (DeviceDay | null)[] {
  const merged = stored === undefined ? emptyBlock() : decodeBlock(stored, place)
  for (const [slot, rollup] of slots) merged[slot] = rollup
  return merged
}

/** Reads the bodies of blocks and days of a shard, by `block day`. */
async function readBodiesOf(
  session: Session,
  shard: number,
  rows: readonly { block: number; day: number }[],
): Promise<Map<string, Buffer>> {
  const bodies = new Map<string, Buffer>()
  for (const [day, ofDay] of groupBy(rows, (row) => row.day)) {
    await session.copyOut(
      `SELECT block, body FROM rollup_block WHERE shard = ${int(shard)} AND day = ${int(day)}
       AND block IN ${ints(ofDay.map(({ block }) => block))}`,
      (row) => bodies.set(`${row.int(0)} ${day}`, row.bytes(1)),
    )
  }
  return bodies
}

/** Removes a block of a day. */
export const removeBlock = (session: Session, shard: number, block: number, day: number): Promise<number> =>
  session.run('DELETE FROM rollup_block WHERE shard = $1 AND block = $2 AND day = $3', [shard, block, day])
