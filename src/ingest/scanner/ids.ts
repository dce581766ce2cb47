import { ID_BYTES_MAX } from './event-tables'
import { ID_BYTES, ID_HASHES, ID_STARTS, MOST_ID_BYTES, MOST_IDS, SLOTS, SLOTS_PER_ID } from './memory'
import { arePlainAscii, isPlain } from './skip'

// Numbers device ids, by their UTF-8 bytes, in the order in which they are met, so that a known id costs no string. The
// numbers outlive the batches.

const QUOTE: u8 = 0x22
const FIRST_MASK: u32 = 2047
/** Most slots that are searched for an id. It bounds the work that ids made to collide can cause. */
const MOST_PROBES: i32 = 32

/** Stands for an id without a number. */
export const NO_ID: i32 = -1

/** Number of known ids. */
export let ids: i32 = 0
let bytesUsed: i32 = 0
/** Number of slots in use, which is a power of two, minus one. */
let mask: u32 = FIRST_MASK

/** The id that was met last; it is tried first, because most events follow another event of their device. */
let lastId: i32 = NO_ID
let lastStart: usize = 0
let lastLength: usize = 0

/** The place after the closing quote of the id that was scanned last. */
export let idEnd: usize = 0
/** Set when there was no room for an id. The host must then call forgetIds. */
export let isFull: bool = false

/** Returns the number of the id whose text begins at `from`; NO_ID if it needs JSON.parse or if there is no room. */
export function scanId(from: usize): i32 {
  if (lastId !== NO_ID && load<u8>(from + lastLength) === QUOTE && isSame(from, lastStart, lastLength)) {
    idEnd = from + lastLength + 1
    return lastId
  }
  let position = from
  let hash: u64 = 0
  for (let word = load<u64>(position); arePlainAscii(word); word = load<u64>(position)) {
    hash = mixed(hash, word)
    position += 8
  }
  let byte = load<u8>(position)
  while (isPlain(byte)) {
    hash = mixed(hash, byte)
    byte = load<u8>(++position)
  }
  idEnd = position + 1
  return byte === QUOTE ? numberOf(from, position - from, u32(hash ^ (hash >> 29))) : NO_ID
}

function mixed(hash: u64, word: u64): u64 {
  const product = (hash ^ word) * 0x9e37_79b9_7f4a_7c15
  return product ^ (product >> 32)
}

function numberOf(start: usize, length: usize, hash: u32): i32 {
  let slot = hash & mask
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const place = SLOTS + (slot << 3)
    const number = load<i32>(place, 4) - 1
    if (number < 0) return remember(start, length, hash)
    if (load<u32>(place) === hash && isOfLength(number, length) && isSame(start, startOf(number), length)) {
      return met(number)
    }
    slot = (slot + 1) & mask
  }
  return NO_ID
}

function met(number: i32): i32 {
  lastId = number
  lastStart = startOf(number)
  lastLength = endOf(number) - lastStart
  return number
}

function startOf(number: i32): usize {
  return ID_BYTES + load<u32>(ID_STARTS + (number << 2))
}

function endOf(number: i32): usize {
  return ID_BYTES + load<u32>(ID_STARTS + (number << 2), 4)
}

function isOfLength(number: i32, length: usize): bool {
  return endOf(number) - startOf(number) === length
}

function isSame(one: usize, other: usize, length: usize): bool {
  if (length < 8) {
    for (let index: usize = 0; index < length; index++) {
      if (load<u8>(one + index) !== load<u8>(other + index)) return false
    }
    return true
  }
  // The last eight bytes may overlap those compared before.
  const last = length - 8
  for (let index: usize = 0; index < last; index += 8) {
    if (load<u64>(one + index) !== load<u64>(other + index)) return false
  }
  return load<u64>(one + last) === load<u64>(other + last)
}

function remember(start: usize, length: usize, hash: u32): i32 {
  // An id with more bytes may still be short enough, if its characters have several bytes each.
  if (length === 0 || length > usize(ID_BYTES_MAX)) return NO_ID
  if (ids === MOST_IDS || bytesUsed + i32(length) > MOST_ID_BYTES) {
    isFull = true
    return NO_ID
  }
  if (u32(ids * SLOTS_PER_ID) > mask) grow()
  const number = ids++
  memory.copy(ID_BYTES + bytesUsed, start, length)
  store<i32>(ID_STARTS + (number << 2), bytesUsed)
  bytesUsed += i32(length)
  store<i32>(ID_STARTS + (number << 2), bytesUsed, 4)
  store<u32>(ID_HASHES + (number << 2), hash)
  takeSlot(number, hash)
  return met(number)
}

function takeSlot(number: i32, hash: u32): void {
  let slot = hash & mask
  while (load<u32>(SLOTS + (slot << 3), 4) !== 0) slot = (slot + 1) & mask
  store<u32>(SLOTS + (slot << 3), hash)
  store<u32>(SLOTS + (slot << 3), number + 1, 4)
}

/** Doubles the number of slots in use. */
function grow(): void {
  mask = (mask << 1) | 1
  memory.fill(SLOTS, 0, (mask + 1) << 3)
  for (let number = 0; number < ids; number++) takeSlot(number, load<u32>(ID_HASHES + (number << 2)))
}

/** Forgets all ids; numbers start at 0 again. */
export function forgetIds(): void {
  mask = FIRST_MASK
  memory.fill(SLOTS, 0, (mask + 1) << 3)
  ids = 0
  bytesUsed = 0
  lastId = NO_ID
  isFull = false
}
