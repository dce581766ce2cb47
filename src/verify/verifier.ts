import type { Threads } from '../base/threads.ts'
import type { RollupRoles } from '../rollup/rollup-request.ts'
import type { Difference } from './difference.ts'
import { planChunks } from './plan-chunks.ts'
import type { VerifyCounts, VerifyRequest, VerifyResult, VerifyTask } from './verify-task.ts'
import type { VerifyTasks } from './verify-thread.ts'

export interface Verification extends VerifyCounts {
  /** At most `most` of the request. */
  differences: Difference[]
  /** The blocks with a difference, as tasks of their own. */
  wrong: VerifyTask[]
}

/** Runs verifications chunk by chunk, on all of its threads. */
export class Verifier {
  readonly #stores: RollupRoles
  readonly #threads: Threads<VerifyTasks>
  readonly #threadCount: number

  /** @param stores used only for reading; each of the `threadCount` threads has a connection of its own. */
  constructor(stores: RollupRoles, threads: Threads<VerifyTasks>, threadCount: number) {
    this.#stores = stores
    this.#threads = threads
    this.#threadCount = threadCount
  }

  /**
   * Compares the stored rollups with what the raw events give. Calls `onProgress` with the number of devices done.
   *
   * @throws CoolerError `other-rules`
   */
  async verify(request: VerifyRequest, onProgress?: (devices: number) => void): Promise<Verification> {
    return this.#run(await planChunks(this.#stores, request), request.most, onProgress)
  }

  /** Makes what is wrong due for the next rollup. */
  async repair({ wrong }: Verification): Promise<void> {
    await Promise.all(wrong.map((task) => this.#threads.run('repair', task)))
  }

  /** Verifies again the blocks that had differences. */
  verifyAgain({ wrong }: Verification, { now, most }: VerifyRequest): Promise<Verification> {
    return this.#run(
      wrong.map((task) => ({ ...task, now })),
      most,
    )
  }

  /** Keeps two chunks per thread in hand, so that no thread waits and few chunks still run after a failure. */
  async #run(
    tasks: readonly VerifyTask[],
    most: number,
    onProgress?: (devices: number) => void,
  ): Promise<Verification> {
    const total: Verification = { ...NOTHING, differences: [], wrong: [] }
    const left = tasks.values()
    let failed = false
    const runNext = async (): Promise<void> => {
      for (const task of left) {
        const result = await this.#threads.run('verify', task).catch((error) => {
          failed = true
          throw error
        })
        if (failed) return
        add(total, task, result, most)
        onProgress?.(total.devices)
      }
    }
    await Promise.all(Array.from({ length: 2 * this.#threadCount }, runNext))
    return total
  }
}

const NOTHING: VerifyCounts = { devices: 0, deviceDays: 0, dueDevices: 0, dueDays: 0, withoutRaw: 0, differing: 0 }

function add(
  total: Verification,
  task: VerifyTask,
  { differences, blocks, ...counts }: VerifyResult,
  most: number,
): void {
  for (const name of Object.keys(NOTHING) as (keyof VerifyCounts)[]) total[name] += counts[name]
  for (const difference of differences) if (total.differences.length < most) total.differences.push(difference)
  if (blocks.length > 0) total.wrong.push({ ...task, blocks })
}
