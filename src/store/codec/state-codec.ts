import {
  type BodyPlace,
  CHECKSUM_BYTES,
  checkSealed,
  codecVersion,
  damaged,
  isSealed,
  seal,
} from '../../base/checksum.ts'
import { decodeText, encodeText } from '../../base/text-bytes.ts'
import type { DeviceState, KeptFix } from '../rollup-store.ts'
import { BLOCK_DEVICES, HEADER_BYTES, hasSlot, readColumn, setSlot, writeColumn } from './block-codec.ts'

/**
 * The states of the devices of a block (see block-codec.ts), with the same header and the same kind of columns: the
 * numbers of STATE_NUMBERS, then the length of each address in bytes plus 1 (0 for none), then the addresses. Sealed for
 * shard and block.
 */
const VERSION = 1

type FixOf = (state: DeviceState) => KeptFix | null
const first: FixOf = ({ firstFix }) => firstFix
const last: FixOf = ({ lastFix }) => lastFix

/** Stands for the `at` of a missing fix. */
const NONE = -1

const numbersOfFix = (of: FixOf): ((state: DeviceState) => number)[] => [
  (state) => of(state)?.at ?? NONE,
  (state) => of(state)?.seq ?? 0,
  (state) => of(state)?.lat ?? 0,
  (state) => of(state)?.lon ?? 0,
]

const STATE_NUMBERS: readonly ((state: DeviceState) => number)[] = [
  ({ firstHeardAt }) => firstHeardAt,
  ({ lastHeardAt }) => lastHeardAt,
  ...numbersOfFix(first),
  ...numbersOfFix(last),
]

/** The states of a block's devices by slot; null for a slot without one. */
export type StateBlock = (DeviceState | null)[]

/** Makes a block of devices without states. */
export const emptyStates = (): StateBlock => new Array<DeviceState | null>(BLOCK_DEVICES).fill(null)

/** Encodes the states of a block as a sealed body. */
export function encodeStates(states: StateBlock, place: BodyPlace): Buffer {
  const kept = states.filter((state) => state !== null)
  const addresses = kept.map(({ lastFix }) => (lastFix?.address == null ? null : encodeText(lastFix.address)))
  const columns = [
    ...STATE_NUMBERS.map((number) => kept.map(number)),
    addresses.map((address) => (address === null ? 0 : address.length + 1)),
  ]
  const body = Buffer.alloc(HEADER_BYTES + columns.length * (9 + kept.length * 8))
  body[0] = VERSION
  states.forEach((state, slot) => {
    if (state !== null) setSlot(body, slot)
  })
  let offset = HEADER_BYTES
  for (const column of columns) offset = writeColumn(body, offset, column)
  const texts = addresses.filter((address) => address !== null)
  return seal(Buffer.concat([body.subarray(0, offset), ...texts]), place)
}

/** Decodes the states of a block. @throws CoolerError `store-damaged` */
export function decodeStates(body: Buffer, place: BodyPlace): StateBlock {
  try {
    if (!isSealed(body)) throw new Error('it has no checksum')
    checkSealed(body, 0, body.length - CHECKSUM_BYTES, place)
    if (codecVersion(body) !== VERSION) throw new Error(`unknown codec version ${codecVersion(body)}`)
    return decodePlain(body)
  } catch (error) {
    throw damaged(
      `what is current of the devices of shard ${place[0]}, block ${place[1]}; \`cooler verify --fix\` computes it again`,
      error,
    )
  }
}

function decodePlain(body: Buffer): StateBlock {
  const slots: number[] = []
  for (let slot = 0; slot < BLOCK_DEVICES; slot++) if (hasSlot(body, slot)) slots.push(slot)
  let offset = HEADER_BYTES
  const columns = Array.from({ length: STATE_NUMBERS.length + 1 }, () => {
    const column = readColumn(body, offset, slots.length)
    offset = column.end
    return column.values
  })
  const [firstHeardAt, lastHeardAt, ...fixes] = columns
  const lengths = columns[columns.length - 1]
  const fix = (rank: number, from: number): KeptFix | null => {
    const [at, seq, lat, lon] = fixes.slice(from, from + 4).map((column) => column[rank])
    return at === NONE ? null : { at, seq, lat, lon }
  }
  const states = emptyStates()
  for (const [rank, slot] of slots.entries()) {
    const bytes = lengths[rank] - 1
    const address = bytes < 0 ? null : decodeText(body.subarray(offset, offset + bytes))
    offset += Math.max(0, bytes)
    const lastFix = fix(rank, 4)
    states[slot] = {
      firstHeardAt: firstHeardAt[rank],
      lastHeardAt: lastHeardAt[rank],
      firstFix: fix(rank, 0),
      lastFix: lastFix && { ...lastFix, address },
    }
  }
  return states
}
