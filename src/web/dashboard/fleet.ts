import type { DailyEntry, SummaryEntry } from './answers.ts'
import { FIGURE_NAMES, FIGURES, type FigureName } from './figures.ts'

/**
 * The entries of a report as columns: 100 000 objects would take ten times the memory, and sorting by a figure would
 * jump through all of it. NaN marks unknown values.
 */
export class Entries {
  readonly ids: string[] = []
  readonly #figures = new Map<FigureName, Float64Array>(FIGURE_NAMES.map((name) => [name, new Float64Array(0)]))
  /** Set from the summary only, in the order of the ids. */
  readonly places: Place[] = []

  get size(): number {
    return this.ids.length
  }

  /** Returns the values of a figure. The array may be longer than the number of devices. */
  column(name: FigureName): Float64Array {
    return this.#figures.get(name) as Float64Array
  }

  value(name: FigureName, row: number): number {
    return this.column(name)[row]
  }

  isFlagged(row: number): boolean {
    return this.column('distanceMore')[row] === 1
  }

  /** Appends entries; `expected` is their final number. */
  add(entries: readonly (DailyEntry | SummaryEntry)[], expected: number): void {
    const from = this.ids.length
    this.#reserve(Math.max(expected, from + entries.length))
    for (const entry of entries) {
      this.ids.push(entry.assertId)
      if ('location' in entry) this.places.push(readPlacement(entry))
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

/** Position of a cooler in degrees, NaN if unknown. */
export interface Place {
  lat: number
  lon: number
  address: string | null
  placedAt: string | null
}

function readPlacement({ location, address, throwinDate }: SummaryEntry): Place {
  const [lat, lon] = location === null ? [Number.NaN, Number.NaN] : location.split(',').map(Number)
  return { lat, lon, address, placedAt: throwinDate }
}

/** The figures that are counts. */
export const COUNTS = FIGURE_NAMES.filter((name) => FIGURES[name].kind === 'count')

/** The parts of the fleet that can be shown. */
export const SUBSETS = ['all', 'flagged', 'no-temperature', 'never-on'] as const
export type Subset = (typeof SUBSETS)[number]

export interface Order {
  by: FigureName | 'id'
  descending: boolean
}

/** Flagged coolers first, in the order of their ids. */
export const FLAGGED_FIRST: Order = { by: 'distanceMore', descending: true }

/** Returns the rows to show, in their order. Unknown values come last in either direction. */
export function rowsOf(fleet: Entries, order: Order, subset: Subset, text: string): Uint32Array {
  const wanted = text.trim().toLowerCase()
  const rows = new Uint32Array(fleet.size)
  const inSubset = subsetOf(fleet, subset)
  let count = 0
  for (let row = 0; row < fleet.size; row++) {
    if (inSubset(row) && (wanted === '' || fleet.ids[row].toLowerCase().includes(wanted))) rows[count++] = row
  }
  return sorted(fleet, rows.subarray(0, count), order)
}

function subsetOf(fleet: Entries, subset: Subset): (row: number) => boolean {
  const flags = fleet.column('distanceMore')
  const means = fleet.column('currTemp')
  const hours = fleet.column('powerDuration')
  if (subset === 'flagged') return (row) => flags[row] === 1
  if (subset === 'no-temperature') return (row) => Number.isNaN(means[row])
  if (subset === 'never-on') return (row) => hours[row] === 0
  return () => true
}

/** Sorts rows by a column. Equal values stay in the order of the ids, which is the order of the report. */
function sorted(fleet: Entries, rows: Uint32Array, { by, descending }: Order): Uint32Array {
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

/** Totals of the whole fleet. There are no means here, because a mean of the coolers' means would be wrong. */
export interface FleetTotals {
  coolers: number
  flagged: number
  withoutTemperature: number
  /** For the figures that are counts. */
  counts: readonly (readonly [FigureName, number])[]
  coldest: number
  warmest: number
  hoursOn: number
}

/** Adds up the figures of a fleet. */
export function totalsOf(fleet: Entries): FleetTotals {
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
