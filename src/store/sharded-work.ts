import { setTimeout as pause } from 'node:timers/promises'
import { CoolerError } from '../base/errors.ts'

/** Interval at which a shard that another worker holds is tried again. */
export const LOOK_AGAIN_MS = 250

/**
 * Work on a store that goes shard by shard, so that any number of workers share it. Without a queue a process does all
 * of it by `runShards`; with a queue each shard is a job (jobs/sharded.ts). Requests and results are plain data.
 */
export interface ShardedWork<Request, Result> {
  /** How many shards a process works on at once. */
  readonly lanes: number
  /** How many shards the store has. */
  readonly shards: number
  /** Prepares a run; returns the shards that may have something to do. */
  begin(request: Request): Promise<number[]>
  /**
   * Does what is left to do in a shard, in the turn of the shard. Returns null if another worker holds the shard.
   * A run may do a shard twice; the second time nothing is left.
   */
  runShard(request: Request, shard: number): Promise<{ result: Result } | null>
  /** Ends a run after all its shards are done; returns the sum of their results. */
  finish(request: Request, results: readonly Result[]): Promise<Result>
}

/**
 * Does a work in this process. Shards come in a random order, so that several workers on one store rarely meet, and
 * those that others hold come last. Does all shards even if some fail, unless the failure may pass by itself, such as
 * a busy store; rejects with the first failure. After an abort it begins no further shard.
 *
 * @throws CoolerError `shutting-down` after an abort
 */
export async function runShards<Request, Result>(
  work: ShardedWork<Request, Result>,
  request: Request,
  signal?: AbortSignal,
): Promise<Result> {
  const results: Result[] = []
  const failures: unknown[] = []
  let left = shuffled(await work.begin(request))
  for (;;) {
    const held: number[] = []
    const next = left.values()
    const lane = async (): Promise<void> => {
      for (const shard of next) {
        if (failures.some(mayPass)) return
        try {
          if (signal?.aborted) throw new CoolerError('shutting-down', 'the rest is left to the next run')
          const done = await work.runShard(request, shard)
          if (done === null) held.push(shard)
          else results.push(done.result)
        } catch (error) {
          failures.push(error)
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(work.lanes, left.length) }, lane))
    if (held.length === 0 || failures.some(mayPass)) break
    left = held
    await pause(LOOK_AGAIN_MS)
  }
  if (failures.length > 0) throw failures[0]
  return work.finish(request, results)
}

/** Adds up results whose fields are all numbers. */
export function summed<Result extends Record<keyof Result, number>>(
  nothing: Result,
  results: readonly Result[],
): Result {
  const sum = { ...nothing }
  for (const result of results) {
    for (const name of Object.keys(sum) as (keyof Result)[]) {
      sum[name] = (sum[name] + result[name]) as Result[keyof Result]
    }
  }
  return sum
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
