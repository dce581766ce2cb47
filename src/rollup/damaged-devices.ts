import { CoolerError } from '../base/errors.ts'
import { decodeBlock } from '../store/codec/block-codec.ts'
import { isDamage } from '../store/damaged-events.ts'
import type { RollupReads } from '../store/rollup-store.ts'
import { deviceAt, placeOf, type RollupCommit } from '../store/rollup-store.ts'
import type { DuePlan } from './due-plan.ts'

/**
 * The devices and segments that a rollup of a shard cannot compute, because parts of the store are damaged. These
 * devices keep their stored rollups and stay due; all others are computed.
 */
export class DamagedDevices {
  readonly devices = new Set<number>()
  /** Due segments that cannot be read. */
  readonly segments = new Set<number>()
  #first: CoolerError | null = null

  /** Notes damage to the store. @throws any other error unchanged */
  note(error: unknown): void {
    if (!isDamage(error)) throw error
    this.#first ??= error
  }

  add(device: number, error: unknown): void {
    this.note(error)
    this.devices.add(device)
  }

  /** Throws the first damage noted, if any. @throws CoolerError `store-damaged` if anything was not computed */
  report(shard: number): void {
    if (this.#first === null) return
    const { message } = this.#first
    const left = this.devices.size === 0 ? '' : `; ${this.devices.size} devices of shard ${shard} were not rolled up`
    throw new CoolerError('store-damaged', `${message}${left}`, { cause: this.#first })
  }
}

/** Finds the changed blocks that are damaged. A block is written whole, so none of its devices can be written then. */
export async function findDamagedBlocks(
  rollups: RollupReads,
  { shard, changes }: RollupCommit,
  damaged: DamagedDevices,
): Promise<void> {
  for (const [block, days] of changes) {
    for (const [day, slots] of days) {
      try {
        const body = await rollups.block(shard, block, day)
        if (body !== null) decodeBlock(body, [shard, block, day])
      } catch (error) {
        for (const slot of slots.keys()) damaged.add(deviceAt({ shard, block, slot }, rollups.shards), error)
      }
    }
  }
}

/** Removes from a commit the results of devices that cannot be computed completely, and leaves these devices due. */
export function leaveDamaged(commit: RollupCommit, plan: DuePlan, devices: ReadonlySet<number>, shards: number): void {
  if (devices.size === 0) return
  for (const device of devices) {
    const { block, slot } = placeOf(device, shards)
    for (const slots of commit.changes.get(block)?.values() ?? []) slots.delete(slot)
  }
  const { entries, due } = plan.leave(devices)
  commit.doneDevices = commit.doneDevices.filter((id) => !entries.has(id))
  commit.furtherDue = [...commit.furtherDue.filter(({ device }) => !devices.has(device)), ...due]
}
