import { decodeBlock } from '../codec/block-codec.ts'
import type { BlockBodies } from '../codec/block-columns.ts'
import { encodeWeek } from '../codec/week-codec.ts'
import type { BlockPlace, WeekRow } from '../rollup-store.ts'
import { placeOfWeek, WEEK_DAYS, weekOf } from '../week.ts'
import { int, int4, ints, type Session } from './session.ts'
import { upsert } from './upsert.ts'

/** For more blocks than this, those of the whole store are read: a list in a query costs more than rows left out. */
const FEW_BLOCKS = 500

/** Passes bodies that add up to the rollups of these blocks and days; see RollupReads.eachBodies. */
export async function readBodies(
  session: Session,
  blocks: readonly BlockPlace[],
  [fromDay, toDay]: readonly [number, number],
  take: (bodies: BlockBodies, nth: number) => void,
): Promise<void> {
  const nthOf = new Map(blocks.map(({ shard, block }, nth) => [`${shard} ${block}`, nth]))
  const asked =
    blocks.length > FEW_BLOCKS
      ? 'shard >= 0'
      : `(shard, block) IN (${blocks.map(({ shard, block }) => `(${int(shard)}, ${int(block)})`).join(', ') || '(-1, -1)'})`
  const pass = (shard: number, block: number, place: number, bytes: Buffer): void => {
    const nth = nthOf.get(`${shard} ${block}`)
    if (nth !== undefined) take({ bytes, shard, block, days: [place] }, nth)
  }
  const [firstWeek, lastWeek] = [weekOf(fromDay + WEEK_DAYS - 1), weekOf(toDay + 1) - 1]
  const hasWeeks = firstWeek <= lastWeek
  const inWeeks = `week BETWEEN ${int4(firstWeek)} AND ${int4(lastWeek)}`
  if (hasWeeks) {
    await session.copyOut(`SELECT shard, block, week, body FROM rollup_week WHERE ${inWeeks} AND ${asked}`, (row) =>
      pass(row.int(0), row.int(1), ~row.int(2), row.view(3)),
    )
  }
  const notSummed = hasWeeks
    ? `AND NOT EXISTS (SELECT 1 FROM rollup_week WHERE rollup_week.shard = rollup_block.shard
         AND rollup_week.block = rollup_block.block AND week = floor(day / ${WEEK_DAYS}.0) AND ${inWeeks})`
    : ''
  await session.copyOut(
    `SELECT shard, block, day, body FROM rollup_block
     WHERE day BETWEEN ${int4(fromDay)} AND ${int4(toDay)} AND ${asked} ${notSummed}`,
    (row) => pass(row.int(0), row.int(1), row.int(2), row.view(3)),
  )
}

/** Returns the kept weeks of a block from one week to another, ascending. */
export async function readWeeks(
  session: Session,
  shard: number,
  block: number,
  fromWeek: number,
  toWeek: number,
): Promise<WeekRow[]> {
  const rows: WeekRow[] = []
  await session.copyOut(
    `SELECT week, body FROM rollup_week WHERE shard = ${int(shard)} AND block = ${int(block)}
     AND week BETWEEN ${int4(fromWeek)} AND ${int4(toWeek)} ORDER BY week`,
    (row) => rows.push({ week: row.int(0), body: row.bytes(1) }),
  )
  return rows
}

/** Returns the weeks of a shard, by block, that end before a day and have rollups but no sums. */
export async function missingWeeks(session: Session, shard: number, beforeDay: number): Promise<Map<number, number[]>> {
  const rows = await session.rows<{ block: number; week: number }>(
    `SELECT DISTINCT block, floor(day / ${WEEK_DAYS}.0)::int AS week FROM rollup_block WHERE shard = $1 AND day < $2
     EXCEPT SELECT block, week FROM rollup_week WHERE shard = $1 ORDER BY block, week`,
    [shard, int4(weekOf(beforeDay) * WEEK_DAYS)],
  )
  const missing = new Map<number, number[]>()
  for (const { block, week } of rows) missing.set(block, [...(missing.get(block) ?? []), week])
  return missing
}

/** Returns the body of the sums of weeks of a block, from their stored days. @throws CoolerError `store-damaged` */
export async function sumOfWeeks(
  session: Session,
  shard: number,
  block: number,
  weeks: readonly number[],
): Promise<Buffer[]> {
  const days = weeks.flatMap((week) => Array.from({ length: WEEK_DAYS }, (_, nth) => week * WEEK_DAYS + nth))
  const bodies = new Map<number, Buffer>()
  await session.copyOut(
    `SELECT day, body FROM rollup_block WHERE shard = ${int(shard)} AND block = ${int(block)} AND day IN ${ints(days)}`,
    (row) => bodies.set(row.int(0), row.bytes(1)),
  )
  return weeks.map((week) => {
    const ofWeek = [...bodies].filter(([day]) => weekOf(day) === week).sort(([one], [other]) => one - other)
    return encodeWeek(
      ofWeek.map(([day, body]) => decodeBlock(body, [shard, block, day])),
      placeOfWeek(shard, block, week),
    )
  })
}

/** Keeps sums of weeks. Call it in the transaction that has checked the shard's version. */
export const keepWeeks = (
  session: Session,
  shard: number,
  block: number,
  weeks: readonly number[],
  bodies: readonly Buffer[],
): Promise<void> =>
  upsert(
    session,
    'rollup_week',
    { key: ['shard', 'block', 'week'], others: ['body'] },
    weeks.map((week, nth) => [shard, block, week, bodies[nth]]),
  )

/** Deletes the sums that these days are in. Call it in the transaction that changes the days. */
export async function forgetWeeks(
  session: Session,
  shard: number,
  days: readonly { block: number; day: number }[],
): Promise<void> {
  if (days.length === 0) return
  await session.run(
    `DELETE FROM rollup_week USING unnest($2::int[], $3::int[]) AS gone (block, week)
     WHERE rollup_week.shard = $1 AND rollup_week.block = gone.block AND rollup_week.week = gone.week`,
    [shard, days.map(({ block }) => block), days.map(({ day }) => weekOf(day))],
  )
}
