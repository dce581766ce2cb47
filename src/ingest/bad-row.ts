/** Longest JSON text of the cells of a row, in UTF-16 units: with its file and line it is still an event's size. */
const MAX_UNITS = 8192

/**
 * Returns what stands for a row that has more fields than its file has columns, so that it is rejected as `bad-row` and
 * kept with its file and line. It has no `deviceId`: whoever sends the same is rejected, too.
 */
export function badRow(file: string, line: number, cells: readonly (string | null)[]): unknown {
  const texts = cells.map((cell) => cell ?? '')
  const isShort = JSON.stringify(texts).length <= MAX_UNITS
  return { badRow: { file, line, cells: isShort ? texts : [`${JSON.stringify(texts).slice(0, MAX_UNITS)}...`] } }
}

/** Whether a value is one of badRow: an object that has nothing else, so that no event with unknown fields is meant. */
export const isBadRow = (fields: Record<string, unknown>): boolean =>
  'badRow' in fields && typeof fields.badRow === 'object' && Object.keys(fields).length === 1
