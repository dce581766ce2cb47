import { encodeWeek } from '../store/codec/week-codec.ts'
import { deviceAt, type RollupReads } from '../store/rollup-store.ts'
import { placeOfWeek, WEEK_DAYS, weekOf } from '../store/week.ts'
import { decoded } from './carried-in.ts'
import type { ChunkScope } from './chunk-scope.ts'
import type { Findings } from './findings.ts'

/** Compares the kept sums of weeks with the stored days. Leaves out weeks with a day that cannot be decoded. */
export async function checkWeeks(
  rollups: RollupReads,
  { shard, shards, from, to }: ChunkScope,
  blocks: readonly number[],
  findings: Findings,
): Promise<void> {
  for (const block of blocks) {
    for (const { week, body } of await rollups.weeks(shard, block, weekOf(from), weekOf(to))) {
      const rows = await rollups.blocks(shard, block, week * WEEK_DAYS, (week + 1) * WEEK_DAYS - 1)
      const days = rows.map((row) => decoded(row.body, [shard, block, row.day])).filter((day) => day !== null)
      const isRight = days.length > 0 && encodeWeek(days, placeOfWeek(shard, block, week)).equals(body)
      if (!isRight && days.length === rows.length)
        findings.wrongWeek(block, week, deviceAt({ shard, block, slot: 0 }, shards))
    }
  }
}
