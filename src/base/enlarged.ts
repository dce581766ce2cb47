/** Copies a column to the start of a longer one, and returns the longer one. */
export function enlarged<Column extends Int32Array | Float64Array | Uint8Array>(from: Column, into: Column): Column {
  into.set(from)
  return into
}
