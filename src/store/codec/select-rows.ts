import { type EventColumns, NO_SEQ } from '../../event/event-columns.ts'

/** Returns a copy of these rows, in this order. */
export function selectRows(from: EventColumns, rows: ArrayLike<number>): EventColumns {
  const into = emptyColumns(rows.length, [from])
  for (let row = 0; row < rows.length; row++) {
    const source = rows[row]
    into.device[row] = from.device[source]
    into.at[row] = from.at[source]
    into.kind[row] = from.kind[source]
    into.a[row] = from.a[source]
    into.b[row] = from.b[source]
    if (into.seq !== null && from.seq !== null) into.seq[row] = from.seq[source]
    if (into.imports !== null && from.imports !== null) into.imports[row] = from.imports[source]
    const address = from.addresses?.get(source)
    if (address !== undefined) into.addresses?.set(row, address)
  }
  return into.addresses?.size === 0 ? { ...into, addresses: null } : into
}

/** Makes columns of `count` rows to be filled; optional columns exist if any of `like` has them. */
export function emptyColumns(count: number, like: readonly EventColumns[]): EventColumns {
  return {
    count,
    device: new Int32Array(count),
    at: new Int32Array(count),
    kind: new Uint8Array(count),
    a: new Int32Array(count),
    b: new Int32Array(count),
    seq: like.some(({ seq }) => seq !== null) ? new Float64Array(count).fill(NO_SEQ) : null,
    addresses: like.some(({ addresses }) => addresses !== null) ? new Map() : null,
    imports: like.some(({ imports }) => imports !== null) ? new Int32Array(count) : null,
  }
}
