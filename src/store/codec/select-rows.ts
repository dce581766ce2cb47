import type { EventColumns } from '../../event/event-columns.ts'

/** Returns a copy of these rows, in this order. */
export function selectRows(from: EventColumns, rows: readonly number[]): EventColumns {
  const addresses = new Map<number, string>()
  if (from.addresses !== null) {
    for (const [row, source] of rows.entries()) {
      const address = from.addresses.get(source)
      if (address !== undefined) addresses.set(row, address)
    }
  }
  return {
    count: rows.length,
    device: Int32Array.from(rows, (row) => from.device[row]),
    at: Int32Array.from(rows, (row) => from.at[row]),
    kind: Uint8Array.from(rows, (row) => from.kind[row]),
    a: Int32Array.from(rows, (row) => from.a[row]),
    b: Int32Array.from(rows, (row) => from.b[row]),
    seq: from.seq === null ? null : Float64Array.from(rows, (row) => from.seq?.[row] ?? 0),
    addresses: addresses.size > 0 ? addresses : null,
    imports: from.imports === null ? null : Int32Array.from(rows, (row) => from.imports?.[row] ?? 0),
  }
}
