import type { MoveTarget } from '../store/moving.ts'
import type { Store } from '../store/open-store.ts'
import { requireSame } from './compare.ts'
import { copyCompacted } from './copy-compacted.ts'
import { copyDevices } from './copy-devices.ts'
import { copyMessages, copyTold } from './copy-notices.ts'
import { copyRejects, copyRest } from './copy-rest.ts'
import { copyRollups } from './copy-rollups.ts'
import { copySegments } from './copy-segments.ts'
import type { Copied, Copying } from './copying.ts'
import { DeviceNumbers } from './device-numbers.ts'

export interface MoveOptions {
  /** Epoch ms. */
  now: number
  /** Stops all writing to the source, and lets it begin again if the move fails; null to leave the source in use. */
  close: { stop: () => Promise<void>; goOn: () => Promise<void> } | null
  onProgress?: (copied: Copied) => void
}

export interface Moved {
  copied: Copied
  devices: number
  /** Landed events that the target has, erased ones included. */
  landed: number
  /** Events that have landed, and that have been erased, in the source since the state that the target has. */
  behind: { landed: number; erased: number }
  isFinished: boolean
}

/** Rounds that copy what has changed during the one before, and a round so small that it is the last of them. */
const MOST_ROUNDS = 4
const SMALL_ROUND = 100_000

/**
 * Copies a store to another one, in parts. Each part is recorded with what it was copied from, in the transaction that
 * writes it, so that a move can be stopped at any time, and goes on with what is missing or has changed:
 *
 *     rounds, each part in a state of its own  ->  the rest, all in one state  ->  compare  ->  take into use (`close`)
 *
 * The target is a copy of that one state of the source; programs may write to the source meanwhile.
 *
 * @throws CoolerError `store-damaged` if a part of the source cannot be read, or the target differs; `store-busy` if
 * another move to the same target has begun
 */
export async function moveStore(
  source: Store,
  target: MoveTarget,
  { now, close, onProgress = () => {} }: MoveOptions,
): Promise<Moved> {
  const copied = { devices: 0, events: 0, rollups: 0 }
  const numbers = await DeviceNumbers.read(target)
  const copying: Copying = {
    target,
    numbers,
    snapshot: source.snapshot,
    copied,
    onCopied: () => onProgress(copied),
  }
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = { ...copied }
    await copyParts(copying)
    if (copied.events - before.events + copied.rollups - before.rollups < SMALL_ROUND) break
  }
  await close?.stop()
  const state = await copyState(source, copying, now).catch(async (error) => {
    await close?.goOn()
    throw error
  })
  const after = await source.landing.counters()
  const behind = { landed: after.landed - state.counters.landed, erased: after.erased - state.counters.erased }
  // If this fails nobody knows whether the target is in use: the source stays closed until the next run.
  if (close !== null) await target.finish()
  return { copied, devices: state.devices, landed: state.counters.landed, behind, isFinished: close !== null }
}

/** Copies what has changed by now, so that the target is one state of the source, and compares the two. */
function copyState(source: Store, copying: Copying, now: number) {
  return source.snapshot(async (view) => {
    const ofView: Copying = { ...copying, snapshot: (reads) => reads(view) }
    await copyParts(ofView)
    await copyRest(ofView, now)
    await requireSame(view, copying.target)
    return { devices: await view.registry.count(), counters: await view.landing.counters() }
  })
}

async function copyParts(copying: Copying): Promise<void> {
  await copyDevices(copying)
  await copySegments(copying)
  await copyCompacted(copying)
  await copyRollups(copying)
  await copyRejects(copying)
  await copyTold(copying)
  await copyMessages(copying)
}
