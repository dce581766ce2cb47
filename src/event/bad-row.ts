/** Longest JSON text of the cells of a row, in UTF-16 units: with its file and line it is still an event's size. */
const MAX_UNITS = 8192

/**
 * Returns what stands for a row that has more fields than its file has columns, so that it is rejected as `bad-row` and
 * kept with its file and line. It has no `deviceId`: whoever sends the same is rejected, too.
 */
export function badRow(file: string, line: number, cells: readonly string[]): unknown {
  const text = JSON.stringify(cells)
  return { badRow: { file, line, cells: text.length <= MAX_UNITS ? cells : [`${text.slice(0, MAX_UNITS)}...`] } }
}

/** Whether a value is one of badRow: an object that has nothing else, so that no event with unknown fields is meant. */
export const isBadRow = (fields: Record<string, unknown>): boolean =>
  'badRow' in fields && typeof fields.badRow === 'object' && Object.keys(fields).length === 1
