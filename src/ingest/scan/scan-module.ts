import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RowColumns } from '../../event/event-batch.ts'
import { FIELDS } from '../scanner/fields.ts'

/** The parts of WebAssembly that are used here. TypeScript declares it only for browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

/** An exported global that only the module sets. */
type Constant = { readonly value: number }
type Variable = { value: number }

/** The exports of scanner/scanner.ts. Places in its memory are offsets in bytes, and booleans are 0 or 1. */
interface ScannerExports {
  memory: { buffer: ArrayBuffer }
  WINDOW: Constant
  WINDOW_BYTES: Constant
  MOST_ROWS: Constant
  DEVICE: Constant
  AT: Constant
  KIND: Constant
  A: Constant
  B: Constant
  SEQ: Constant
  ADDRESSES: Constant
  ID_BYTES: Constant
  ID_STARTS: Constant
  NUMBERS: Constant
  TEXT_STARTS: Constant
  TEXT_ENDS: Constant
  IS_PLACEMENT: Constant
  ODD: Constant
  NO_ID: Constant
  position: Variable
  lineStart: Constant
  rows: Constant
  hasSeq: Constant
  addresses: Constant
  device: Constant
  textual: Constant
  seq: Constant
  isFull: Constant
  instantEnd: Constant
  numberEnd: Constant
  setAges(latest: number, purgedBefore: number): void
  setPlain(isUtf8: boolean): void
  scan(from: number, end: number): number
  scanInstant(from: number): bigint
  scanNumber(from: number): number
  idOf(from: number, end: number): number
  forgetIds(): void
  clearRows(): void
  clearAddresses(): void
}

/** The scanner, with its memory as arrays. */
export interface ScanModule {
  scanner: ScannerExports
  /** All of the memory. */
  bytes: Buffer
  /** The scanned rows: `device` is the number of an id, `at` an instant (epoch ms). */
  columns: RowColumns
  /** For each address: its row, and its start and end in the memory. */
  addresses: Int32Array
  /** Where the bytes of each id begin, relative to ID_BYTES. They end where the next id begins. */
  idStarts: Int32Array
  /** The numbers and texts of the last scanned event, by field number (scanner/fields.ts). */
  numbers: Float64Array
  textStarts: Int32Array
  textEnds: Int32Array
}

/** Returns this thread's scanner; loads it on first use. Of its 28 MB of memory only as much is used as ids need. */
export function scanModule(): ScanModule {
  loaded ??= load()
  return loaded
}

let loaded: ScanModule | null = null

function load(): ScanModule {
  // The scanner is compiled to the same place whether this file runs as TypeScript or compiled.
  const path = createRequire(import.meta.url).resolve('#scanner')
  const imports = { runtime: { runtimeNumber: (from: number, end: number) => numberIn(bytes, from, end) } }
  const instance = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)), imports)
  const scanner = instance.exports as ScannerExports
  const { buffer } = scanner.memory
  const bytes = Buffer.from(buffer)
  const rows = scanner.MOST_ROWS.value
  const mostIds = (scanner.ID_BYTES.value - scanner.ID_STARTS.value) >> 2
  return {
    scanner,
    bytes,
    columns: {
      device: new Int32Array(buffer, scanner.DEVICE.value, rows),
      at: new Float64Array(buffer, scanner.AT.value, rows),
      kind: new Uint8Array(buffer, scanner.KIND.value, rows),
      a: new Int32Array(buffer, scanner.A.value, rows),
      b: new Int32Array(buffer, scanner.B.value, rows),
      seq: new Float64Array(buffer, scanner.SEQ.value, rows),
    },
    addresses: new Int32Array(buffer, scanner.ADDRESSES.value, rows * 3),
    idStarts: new Int32Array(buffer, scanner.ID_STARTS.value, mostIds),
    numbers: new Float64Array(buffer, scanner.NUMBERS.value, FIELDS),
    textStarts: new Int32Array(buffer, scanner.TEXT_STARTS.value, FIELDS),
    textEnds: new Int32Array(buffer, scanner.TEXT_ENDS.value, FIELDS),
  }
}

/** Returns a JSON number from its bytes, the same as JSON.parse; NaN if its exponent has no digits. */
const numberIn = (bytes: Buffer, from: number, end: number): number => Number(bytes.toString('latin1', from, end))
