import { expect, test } from 'vitest'
import { emptyCommit } from '../../../src/store/rollup-store.ts'
import { LANDED_AT, MIDNIGHT, UTC_DAY, visitors } from '../landing-fixture.ts'
import type { Engine } from '../test-store.ts'

/** What was changed of settled days is kept. */
export function revisionsContract({ open }: Engine): void {
  test('the days on which devices have revisions are found by device, each once, in order', async () => {
    const { landing, rollups, registry } = await open()
    await landing.land(visitors(['a', MIDNIGHT, 1], ['b', MIDNIGHT, 1], ['c', MIDNIGHT, 1]), LANDED_AT)
    const [a, b, c] = (await registry.devices()).map(({ number }) => number)
    const revise = async (device: number, ...days: readonly number[]): Promise<void> => {
      const shard = device % rollups.shards
      const commit = emptyCommit(shard, await rollups.version(shard), LANDED_AT)
      commit.revisions = days.map((day) => ({ device, day, causes: ['late-events'], old: null }))
      expect(await rollups.commit(commit)).toBe(true)
    }
    await revise(a, UTC_DAY + 1, UTC_DAY)
    await revise(a, UTC_DAY)
    await revise(b, UTC_DAY + 5)
    expect(await rollups.revisedDays([a, b, c], UTC_DAY, UTC_DAY + 4)).toEqual(new Map([[a, [UTC_DAY, UTC_DAY + 1]]]))
    expect(await rollups.revisedDays([b], UTC_DAY + 5, UTC_DAY + 5)).toEqual(new Map([[b, [UTC_DAY + 5]]]))
    expect(await rollups.revisedDays([], UTC_DAY, UTC_DAY + 9)).toEqual(new Map())
  })
}
