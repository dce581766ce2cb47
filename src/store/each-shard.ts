import { setTimeout as pause } from 'node:timers/promises'
import { CoolerError } from '../base/errors.ts'
import type { ShardTurns } from './shard-turns.ts'

/** Interval at which a shard that another worker holds is tried again. */
const LOOK_AGAIN_MS = 250

export interface ShardWork {
  /** How many shards are worked on at once. */
  lanes: number
  /** Tells, in the turn of a shard, whether anything is left to do: another worker may have done it meanwhile. */
  isLeft(shard: number): Promise<boolean>
  work(shard: number): Promise<void>
}

/**
 * Works on shards, each in its turn, in a random order, so that several workers on one store rarely meet. Shards that
 * others hold come last. Works on all shards even if some fail, unless the failure may pass by itself, such as a busy
 * store; rejects with the first failure.
 */
export async function eachShard(
  turns: ShardTurns,
  shards: readonly number[],
  { lanes, isLeft, work }: ShardWork,
): Promise<void> {
  const failures: unknown[] = []
  let left = shuffled(shards)
  for (;;) {
    const held: number[] = []
    const next = left.values()
    const lane = async (): Promise<void> => {
      for (const shard of next) {
        if (failures.some(mayPass)) return
        const turn = async (): Promise<void> => {
          if (await isLeft(shard)) await work(shard)
        }
        try {
          if ((await turns.withShard(shard, turn)) === null) held.push(shard)
        } catch (error) {
          failures.push(error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(lanes, left.length) }, lane))
    if (held.length === 0 || failures.some(mayPass)) break
    left = held
    await pause(LOOK_AGAIN_MS)
  }
  if (failures.length > 0) throw failures[0]
}

const mayPass = (error: unknown): boolean => error instanceof CoolerError && error.retryable

function shuffled(values: readonly number[]): number[] {
  const all = [...values]
  for (let end = all.length - 1; end > 0; end--) {
    const other = Math.floor(Math.random() * (end + 1))
    ;[all[end], all[other]] = [all[other], all[end]]
  }
  return all
}
