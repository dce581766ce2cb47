/** Longest JSON text of a row's cells, in UTF-16 units. With file and line it is no larger than an event may be. */
const MAX_UNITS = 8192

/**
 * Returns a value for a row with more fields than its file has columns. It is rejected as `bad-row` and kept with its
 * file and line. It has no `deviceId`, so that it is also rejected when a producer sends it.
 */
export function badRow(file: string, line: number, cells: readonly string[]): unknown {
  const text = JSON.stringify(cells)
  return { badRow: { file, line, cells: text.length <= MAX_UNITS ? cells : [`${text.slice(0, MAX_UNITS)}...`] } }
}

/** Tells whether a value is from badRow. It must have no other field: an event may have an unknown `badRow`. */
export const isBadRow = (fields: Record<string, unknown>): boolean =>
  'badRow' in fields && typeof fields.badRow === 'object' && Object.keys(fields).length === 1
