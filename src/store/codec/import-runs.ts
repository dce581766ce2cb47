/**
 * The imports of the rows of a compacted body, as runs of rows of one import, little-endian:
 *
 *     4 bytes: number of runs    then for each run: 4 bytes rows, 4 bytes number of the import
 */
const COUNT_BYTES = 4
const RUN_BYTES = 8

/** Encodes the imports of `count` rows. Throws RangeError on a number that is not from 0 to 2^31-1. */
export function encodeRuns(imports: Int32Array, count: number): Buffer {
  const starts: number[] = []
  for (let row = 0; row < count; row++) {
    if (imports[row] < 0) throw new RangeError(`row ${row} is of import ${imports[row]}: expected a number from 0`)
    if (row === 0 || imports[row] !== imports[row - 1]) starts.push(row)
  }
  const bytes = Buffer.allocUnsafe(COUNT_BYTES + starts.length * RUN_BYTES)
  bytes.writeUInt32LE(starts.length)
  for (const [index, start] of starts.entries()) {
    const offset = COUNT_BYTES + index * RUN_BYTES
    bytes.writeUInt32LE((starts[index + 1] ?? count) - start, offset)
    bytes.writeUInt32LE(imports[start], offset + COUNT_BYTES)
  }
  return bytes
}

/** Returns where the runs at the start of `bytes` end, or null if they are cut short. */
export function endOfRuns(bytes: Buffer): number | null {
  if (bytes.length < COUNT_BYTES) return null
  const end = COUNT_BYTES + bytes.readUInt32LE(0) * RUN_BYTES
  return end <= bytes.length ? end : null
}

/** Decodes the imports of `count` rows from whole runs; returns null if the runs do not add up to that many rows. */
export function decodeRuns(runs: Buffer, count: number): Int32Array | null {
  const imports = new Int32Array(count)
  let row = 0
  for (let offset = COUNT_BYTES; offset < runs.length; offset += RUN_BYTES) {
    const end = row + runs.readUInt32LE(offset)
    if (end > count) return null
    imports.fill(runs.readUInt32LE(offset + COUNT_BYTES), row, end)
    row = end
  }
  return row === count ? imports : null
}
