import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { CoolerError } from './errors.ts'

/**
 * Checksums of the bodies (blobs) in the store. A sealed body is an encoded body followed by a 64-bit checksum. The two
 * highest bits of its first byte, which holds the codec version, mark it as sealed:
 *
 *     0xC0 + codec version    the rest of the encoded body    checksum of all before it, little-endian
 *
 * The checksum is seeded with the body's place in the store, so that a body found in another row counts as damaged.
 * Bodies written by earlier programs have no checksum and stay readable. The mark has two bits because flipping one of
 * them gives a codec version that does not exist. Every change within 8 adjacent bytes is detected; any other change
 * goes unnoticed once in 2^64.
 */
const SEALED = 0xc0
export const CHECKSUM_BYTES = 8

/** Identifies the place of a body in the store by up to three integers, such as shard, block and day. */
export type BodyPlace = readonly [number, number?, number?]

const NOWHERE: BodyPlace = [0]

/** The part of WebAssembly used here; TypeScript declares it only for browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

/** The exports of wasm/checksum.ts. */
interface ChecksumModule {
  memory: { buffer: ArrayBuffer; grow(pages: number): number }
  BYTES: { readonly value: number }
  add(from: number, bytes: number): void
}

/** Bytes copied into the module at a time, few enough to stay in the processor's cache. */
const WINDOW_BYTES = 2 ** 20
const PAGE_BYTES = 2 ** 16

const { memory, add, BYTES } = loadModule()
const window = Buffer.from(memory.buffer)
/** The checksum as two 32-bit halves, low half first. */
const state = new Uint32Array(memory.buffer, 0, 2)

function loadModule(): ChecksumModule {
  const bytes = readFileSync(createRequire(import.meta.url).resolve('#checksum'))
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {})
  const module = exports as ChecksumModule
  module.memory.grow(WINDOW_BYTES / PAGE_BYTES + 1)
  return module
}

/** Computes the checksum of the bytes from `from` up to, not including, `end`, and leaves it in `state`. */
function compute(bytes: Buffer, from: number, end: number, place: BodyPlace): void {
  begin(place)
  for (let at = from; at < end; at += WINDOW_BYTES) {
    const next = Math.min(at + WINDOW_BYTES, end)
    bytes.copy(window, BYTES.value, at, next)
    add(BYTES.value, next - at)
  }
}

function begin([first, second = 0, third = 0]: BodyPlace): void {
  state[0] = first ^ Math.imul(second, 0x9e3779b1)
  state[1] = third
}

/**
 * Returns a `checkSealed` for bodies in this buffer, or null if it exceeds WINDOW_BYTES. The function is valid until
 * another checksum is computed. The buffer is copied only once, because copying takes longer than the checksums.
 */
export function loadBodies(bytes: Buffer): typeof checkSealed | null {
  if (bytes.length > WINDOW_BYTES) return null
  window.set(bytes, BYTES.value)
  return (_, from, end, place) => {
    if (end + CHECKSUM_BYTES > bytes.length) throw damaged('it is cut')
    begin(place)
    add(BYTES.value + from, end - from)
    return requireState(bytes, end)
  }
}

/** Returns a 32-bit checksum of the bytes, as a signed integer. */
export function checksum32(bytes: Buffer): number {
  compute(bytes, 0, bytes.length, NOWHERE)
  return state[0] | 0
}

/** Returns a copy of the encoded body with its checksum appended. */
export function seal(body: Buffer, place: BodyPlace): Buffer {
  const sealed = Buffer.allocUnsafe(body.length + CHECKSUM_BYTES)
  body.copy(sealed)
  sealed[0] |= SEALED
  compute(sealed, 0, body.length, place)
  sealed.writeUInt32LE(state[0], body.length)
  sealed.writeUInt32LE(state[1], body.length + 4)
  return sealed
}

/**
 * Returns the encoded body of a stored body, sealed or not. Removes the seal in place: both share their bytes.
 *
 * @throws CoolerError `store-damaged`
 */
export function unseal(body: Buffer, place: BodyPlace): Buffer {
  if (!isSealed(body)) return body
  const end = body.length - CHECKSUM_BYTES
  checkSealed(body, 0, end, place)
  body[0] &= ~SEALED
  return body.subarray(0, end)
}

/** Tells whether the body that begins at `from` has a checksum. */
export const isSealed = (bytes: Buffer, from = 0): boolean => (bytes[from] & SEALED) === SEALED

/** Returns the codec version of the body that begins at `from`. */
export const codecVersion = (bytes: Buffer, from = 0): number =>
  isSealed(bytes, from) ? bytes[from] & ~SEALED : bytes[from]

/**
 * Checks the sealed body from `from` against its checksum at `end`. Returns the offset at which the checksum ends.
 *
 * @throws CoolerError `store-damaged`
 */
export function checkSealed(bytes: Buffer, from: number, end: number, place: BodyPlace): number {
  if (from < end && end + CHECKSUM_BYTES <= bytes.length) {
    compute(bytes, from, end, place)
    return requireState(bytes, end)
  }
  throw damaged('it is cut')
}

function requireState(bytes: Buffer, end: number): number {
  if (state[0] === bytes.readUInt32LE(end) && state[1] === bytes.readUInt32LE(end + 4)) return end + CHECKSUM_BYTES
  throw damaged('its checksum does not fit')
}

/** Makes the error for a part of the store that fails its check. */
export const damaged = (what: string, cause?: unknown): CoolerError =>
  new CoolerError('store-damaged', `a part of the store is damaged: ${what}`, { cause })
