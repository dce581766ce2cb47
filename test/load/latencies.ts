/** Latencies of one kind of request, in milliseconds, and what its answers had wrong. */
export interface Latencies {
  milliseconds: number[]
  errors: Map<string, number>
}

export const emptyLatencies = (): Latencies => ({ milliseconds: [], errors: new Map() })

/** The least latency that so large a share of them does not exceed; NaN of none. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN
}

const TITLES = ['request', 'count', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms', 'errors']

/** The outcome for people: a row for each kind of request. */
export function latencyTable(all: ReadonlyMap<string, Latencies>): string {
  const rows = [...all].map(([name, { milliseconds, errors }]) => {
    const ascending = milliseconds.toSorted((one, other) => one - other)
    const shares = [0.5, 0.99, 0.999, 1].map((share) => quantile(ascending, share).toFixed(1))
    return [name, String(milliseconds.length), ...shares, errorText(errors)]
  })
  const widths = TITLES.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)))
  const line = (row: readonly string[]): string =>
    row.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join('  ')
  return [TITLES, ...rows].map(line).join('\n')
}

const errorText = (errors: ReadonlyMap<string, number>): string =>
  errors.size === 0 ? '0' : [...errors].map(([what, count]) => `${count} x ${what}`).join(', ')
