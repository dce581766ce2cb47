import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CoolerError } from '../../../src/base/errors.ts'
import type { ShardTurns } from '../../../src/store/shard-turns.ts'
import { runShards, type ShardedWork } from '../../../src/store/sharded-work.ts'
import type { Engine } from '../test-store.ts'

/** Two workers never work on one shard at the same time. */
export function turnsContract({ connect }: Engine): void {
  test('a shard that one worker has is refused to another one, until it is done or has failed', async () => {
    const [one, other] = await connect()
    const refused = await one.turns.withShard(0, () => other.turns.withShard(0, async () => 'both'))
    expect(refused).toEqual({ result: null })
    expect(await other.turns.withShard(0, async () => 'later')).toEqual({ result: 'later' })
    const failed = one.turns.withShard(0, () => Promise.reject(new Error('failed')))
    await expect(failed).rejects.toThrow('failed')
    expect(await other.turns.withShard(0, async () => 'after it')).toEqual({ result: 'after it' })
  })

  test('two workers do the work of each shard once, and each waits for what the other has', async () => {
    const stores = await connect()
    const shards = [0]
    const done: number[] = []
    let atOnce = 0
    const work = async (shard: number): Promise<number> => {
      if (done.includes(shard)) return 0
      expect(++atOnce).toBe(1)
      await pause(50)
      atOnce--
      done.push(shard)
      return 1
    }
    const counts = stores.map(({ turns }) =>
      runShards(workOn(turns, shards, work), {}).finally(() => expect(done).toEqual(shards)),
    )
    expect((await Promise.all(counts)).toSorted()).toEqual([...stores.slice(1).map(() => 0), 1])
    expect(done).toEqual(shards)
  })

  test.each([
    ['goes on after a failure that stays, and tells it', new CoolerError('store-damaged', 'it is cut'), 3],
    ['ends after a failure that may pass', new CoolerError('store-busy', 'try again'), 1],
  ])('work on shards %s', async (_, failure, calls) => {
    const [{ turns }] = await connect()
    let called = 0
    const work = async (): Promise<number> => {
      if (++called === 1) throw failure
      return 1
    }
    await expect(runShards(workOn(turns, [0, 0, 0], work), {})).rejects.toBe(failure)
    expect(called).toBe(calls)
  })
}

/** Work whose results are counts. */
const workOn = (
  turns: ShardTurns,
  shards: number[],
  work: (shard: number) => Promise<number>,
): ShardedWork<unknown, number> => ({
  lanes: 1,
  shards: shards.length,
  begin: async () => shards,
  runShard: (_, shard) => turns.withShard(shard, () => work(shard)),
  finish: async (_, results) => results.reduce((sum, count) => sum + count, 0),
})
