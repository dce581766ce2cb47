import { groupBy } from '../../base/group-by.ts'
import { BLOCK_DEVICES } from '../codec/block-codec.ts'
import { decodeStates, emptyStates, encodeStates, type StateBlock } from '../codec/state-codec.ts'
import { isDamage } from '../damaged-events.ts'
import { type DeviceState, deviceAt, type LastFixes, placeOf } from '../rollup-store.ts'
import { int, ints, type Session } from './session.ts'
import { upsert } from './upsert.ts'

/** Reads the states of devices. Those of a damaged block are all damaged. */
export async function readStates(
  session: Session,
  shards: number,
  devices: readonly number[],
  onDamaged?: (device: number) => void,
): Promise<Map<number, DeviceState>> {
  const states = new Map<number, DeviceState>()
  for (const [shard, ofShard] of groupBy(devices, (device) => device % shards)) {
    const byBlock = groupBy(ofShard, (device) => placeOf(device, shards).block)
    const lost = (block: number, error: unknown): void => {
      if (onDamaged === undefined || !isDamage(error)) throw error
      for (const device of byBlock.get(block) ?? []) onDamaged(device)
    }
    for (const [block, read] of await readBlocks(session, shard, [...byBlock.keys()], lost)) {
      for (const device of byBlock.get(block) ?? []) {
        const state = read[placeOf(device, shards).slot]
        if (state !== null) states.set(device, state)
      }
    }
  }
  return states
}

async function readBlocks(
  session: Session,
  shard: number,
  blocks: readonly number[],
  onDamaged: (block: number, error: unknown) => void,
): Promise<Map<number, StateBlock>> {
  const read = new Map<number, StateBlock>()
  await session.copyOut(
    `SELECT block, body FROM state_block WHERE shard = ${int(shard)} AND block IN ${ints(blocks)}`,
    (row) => {
      const block = row.int(0)
      try {
        read.set(block, decodeStates(row.view(1), [shard, block]))
      } catch (error) {
        onDamaged(block, error)
      }
    },
  )
  return read
}

/**
 * Writes states of devices of a shard; null removes the stored state. The caller has locked the shard.
 *
 * @throws CoolerError `store-damaged` for a damaged block, unless the states of all of its devices are given
 */
export async function writeStates(
  session: Session,
  shard: number,
  shards: number,
  states: ReadonlyMap<number, DeviceState | null>,
): Promise<void> {
  if (states.size === 0) return
  const byBlock = groupBy(states, ([device]) => placeOf(device, shards).block)
  const lost = new Map<number, unknown>()
  const stored = await readBlocks(session, shard, [...byBlock.keys()], (block, error) => lost.set(block, error))
  for (const [block, error] of lost) {
    const given = byBlock.get(block)?.length ?? 0
    if (given < (await devicesOfBlock(session, shard, block))) throw error
  }
  const rows = [...byBlock].map(([block, changed]) => {
    const all = stored.get(block) ?? emptyStates()
    for (const [device, state] of changed) all[placeOf(device, shards).slot] = state
    return { block, all }
  })
  const isEmpty = ({ all }: (typeof rows)[number]): boolean => all.every((state) => state === null)
  const gone = rows.filter(isEmpty).map(({ block }) => block)
  if (gone.length > 0)
    await session.run('DELETE FROM state_block WHERE shard = $1 AND block = ANY($2::int[])', [shard, gone])
  await upsert(
    session,
    'state_block',
    { key: ['shard', 'block'], others: ['body'] },
    rows.filter((row) => !isEmpty(row)).map(({ block, all }) => [shard, block, encodeStates(all, [shard, block])]),
  )
}

/** Returns how many devices of a block have a number. */
async function devicesOfBlock(session: Session, shard: number, block: number): Promise<number> {
  const [{ next }] = await session.rows<{ next: number }>(
    'SELECT next_local AS next FROM shard_devices WHERE shard = $1',
    [shard],
  )
  return Math.min(BLOCK_DEVICES, next - block * BLOCK_DEVICES)
}

/** Reads the latest fixes of all devices that have one. @throws CoolerError `store-damaged` */
export async function readLastFixes(session: Session, shards: number): Promise<LastFixes> {
  const columns = { devices: [] as number[], lat: [] as number[], lon: [] as number[] }
  const addresses = new Map<number, string>()
  await session.copyOut('SELECT shard, block, body FROM state_block', (row) => {
    const [shard, block] = [row.int(0), row.int(1)]
    const states = decodeStates(row.view(2), [shard, block])
    for (let slot = 0; slot < BLOCK_DEVICES; slot++) {
      const fix = states[slot]?.lastFix
      if (!fix) continue
      const device = deviceAt({ shard, block, slot }, shards)
      columns.devices.push(device)
      columns.lat.push(fix.lat)
      columns.lon.push(fix.lon)
      if (fix.address !== null) addresses.set(device, fix.address)
    }
  })
  return {
    devices: Int32Array.from(columns.devices),
    lat: Int32Array.from(columns.lat),
    lon: Int32Array.from(columns.lon),
    addresses,
  }
}
