/** The widths of a table column, in columns of the terminal: for its full text, and the least that it can do with. */
export interface ColumnDemand {
  full: number
  least: number
  importance: number
}

/**
 * Returns widths that fit into `width` with `gap` between neighbours; null for a column that is left out. The least
 * important column shrinks first, of equals the last one, each to its least width before the next shrinks. If that is
 * not enough, columns are left out in the same order, and the others get back the space that becomes free. The most
 * important column always stays, however narrow.
 */
export function fitColumns(demands: readonly ColumnDemand[], width: number, gap: number): (number | null)[] {
  const givingWay = [...demands.keys()].sort((a, b) => demands[a].importance - demands[b].importance || b - a)
  const staying = new Set(givingWay)
  for (const index of givingWay.slice(0, -1)) {
    if (spaceOf(staying, (stays) => demands[stays].least, gap) <= width) break
    staying.delete(index)
  }
  let excess = spaceOf(staying, (index) => demands[index].full, gap) - width
  const widths = demands.map(({ full }, index) => (staying.has(index) ? full : null))
  for (const index of givingWay) {
    if (excess <= 0 || !staying.has(index)) continue
    const least = staying.size === 1 ? 1 : demands[index].least
    const taken = Math.min(excess, demands[index].full - least)
    widths[index] = demands[index].full - taken
    excess -= taken
  }
  return widths
}

function spaceOf(indexes: ReadonlySet<number>, widthOf: (index: number) => number, gap: number): number {
  let space = -gap
  for (const index of indexes) space += widthOf(index) + gap
  return space
}
