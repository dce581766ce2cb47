import type { DailyEntry, SummaryEntry } from './answers.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'

/**
 * The entries of a report as columns: 100 000 objects would take ten times the memory, and sorting by a figure would
 * jump through all of it. NaN is what is not known.
 */
export class Fleet {
  readonly ids: string[] = []
  readonly #figures = new Map<FigureName, Float64Array>(FIGURE_NAMES.map((name) => [name, new Float64Array(0)]))
  /** What only the summary tells, in the order of the ids. */
  readonly places: Place[] = []

  get size(): number {
    return this.ids.length
  }

  /** The values of a figure; there may be room for more than there are devices. */
  column(name: FigureName): Float64Array {
    return this.#figures.get(name) as Float64Array
  }

  value(name: FigureName, row: number): number {
    return this.column(name)[row]
  }

  isFlagged(row: number): boolean {
    return this.column('distanceMore')[row] === 1
  }

  /** Adds entries behind those there are; `expected` in all. */
  add(entries: readonly (DailyEntry | SummaryEntry)[], expected: number): void {
    const from = this.ids.length
    this.#reserve(Math.max(expected, from + entries.length))
    for (const entry of entries) {
      this.ids.push(entry.assertId)
      if ('location' in entry) this.places.push(placeOf(entry))
    }
    for (const name of FIGURE_NAMES) {
      const column = this.column(name)
      for (const [index, entry] of entries.entries()) column[from + index] = entry[name] ?? Number.NaN
    }
  }

  #reserve(size: number): void {
    for (const [name, column] of this.#figures) {
      if (column.length >= size) continue
      const larger = new Float64Array(size)
      larger.set(column)
      this.#figures.set(name, larger)
    }
  }
}

/** Where a cooler is: degrees, NaN where that is not known. */
export interface Place {
  lat: number
  lon: number
  address: string | null
  placedAt: string | null
}

function placeOf({ location, address, throwinDate }: SummaryEntry): Place {
  const [lat, lon] = location === null ? [Number.NaN, Number.NaN] : location.split(',').map(Number)
  return { lat, lon, address, placedAt: throwinDate }
}

/** The figures that are counts. */
export const COUNTS = FIGURE_NAMES.filter((name) => FIGURES[name].kind === 'count')

/** What of the fleet is to be seen. */
export const SUBSETS = ['all', 'flagged', 'no-temperature', 'never-on'] as const
export type Subset = (typeof SUBSETS)[number]

export interface Order {
  by: FigureName | 'id'
  descending: boolean
}

/** Flagged coolers first, in the order of their ids. */
export const FLAGGED_FIRST: Order = { by: 'distanceMore', descending: true }

/** The rows to be seen, in their order. What is not known comes last, whichever way the others go. */
export function rowsOf(fleet: Fleet, order: Order, subset: Subset, text: string): Uint32Array {
  const wanted = text.trim().toLowerCase()
  const rows = new Uint32Array(fleet.size)
  const inSubset = subsetOf(fleet, subset)
  let count = 0
  for (let row = 0; row < fleet.size; row++) {
    if (inSubset(row) && (wanted === '' || fleet.ids[row].toLowerCase().includes(wanted))) rows[count++] = row
  }
  return sorted(fleet, rows.subarray(0, count), order)
}

function subsetOf(fleet: Fleet, subset: Subset): (row: number) => boolean {
  const flags = fleet.column('distanceMore')
  const means = fleet.column('currTemp')
  const hours = fleet.column('powerDuration')
  if (subset === 'flagged') return (row) => flags[row] === 1
  if (subset === 'no-temperature') return (row) => Number.isNaN(means[row])
  if (subset === 'never-on') return (row) => hours[row] === 0
  return () => true
}

/** The report's own order is that of the ids, and sorting keeps it among equals. */
function sorted(fleet: Fleet, rows: Uint32Array, { by, descending }: Order): Uint32Array {
  if (by === 'id') return descending ? rows.reverse() : rows
  const column = fleet.column(by)
  const known = rows.filter((row) => !Number.isNaN(column[row]))
  const unknown = rows.filter((row) => Number.isNaN(column[row]))
  const sign = descending ? -1 : 1
  known.sort((one, other) => sign * (column[one] - column[other]) || one - other)
  rows.set(known)
  rows.set(unknown, known.length)
  return rows
}

/** What the whole fleet adds up to. There is no mean here: a mean of the coolers' means would be none. */
export interface FleetTotals {
  coolers: number
  flagged: number
  withoutTemperature: number
  /** Of the figures that are counts. */
  counts: readonly (readonly [FigureName, number])[]
  coldest: number
  warmest: number
  hoursOn: number
}

/** Adds up the figures of a fleet. */
export function totalsOf(fleet: Fleet): FleetTotals {
  const sum = (name: FigureName): number => {
    let total = 0
    const column = fleet.column(name)
    for (let row = 0; row < fleet.size; row++) total += column[row]
    return total
  }
  let [coldest, warmest, withoutTemperature] = [Number.NaN, Number.NaN, 0]
  const [lows, highs] = [fleet.column('minTemp'), fleet.column('maxTemp')]
  for (let row = 0; row < fleet.size; row++) {
    if (Number.isNaN(highs[row])) withoutTemperature++
    if (!(coldest <= lows[row]) && !Number.isNaN(lows[row])) coldest = lows[row]
    if (!(warmest >= highs[row]) && !Number.isNaN(highs[row])) warmest = highs[row]
  }
  return {
    coolers: fleet.size,
    flagged: sum('distanceMore'),
    withoutTemperature,
    counts: COUNTS.map((name) => [name, sum(name)] as const),
    coldest,
    warmest,
    hoursOn: sum('powerDuration'),
  }
}
