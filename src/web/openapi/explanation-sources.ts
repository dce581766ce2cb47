import { FLAGGED_MM } from '../../rollup/figures/distance.ts'
import type { FigureName } from '../../rollup/figures/figures.ts'
import { count, instant, number, object, type Schema } from './schema.ts'

const PURGED = 'where the raw events have been deleted'

const readings = (what: string, example: number): Schema =>
  count(`${what} that count: repeats do not.`, 'readings', example)
const readingsOrNull = (what: string, example: number): Schema =>
  count(`${what} that count: repeats do not.`, 'readings', example, PURGED)
const sum = (description: string, unit: string, example: number): Schema => number(description, { unit, example })

const mean = (what: string, example: number): Schema =>
  object(`Where the mean ${what} comes from.`, {
    readings: readings('Readings', 4),
    sumCelsius: sum('Sum of these readings.', '°C', example),
  })

const extreme = (which: string, example: number): Schema =>
  object(`Where the ${which} temperature comes from.`, {
    readings: readings('Readings', 4),
    celsius: number('The extreme.', { unit: '°C', nullWhen: 'without a reading', example }),
    at: instant('When it was first reached.', '2026-11-20T08:05:00.000Z', `without a reading, and ${PURGED}`),
  })

const power = (description: string, example: number): Schema =>
  object(description, {
    readings: readingsOrNull('Power events', 1),
    spans: count('Spans in which the power was on.', 'spans', 1, PURGED),
    sumSeconds: sum('Sum of these spans.', 'seconds', example),
  })

const distance = (description: string, more: Readonly<Record<string, Schema>>): Schema =>
  object(description, {
    readings: count('Fixes that count: repeats and spikes do not.', 'readings', 1),
    sumMeters: sum('Sum of their distances, in steps of a millimetre.', 'metres', 12.08),
    ...more,
  })

/** For each figure, how many readings count and what they add up to. */
const sources: Readonly<Record<FigureName, Schema>> = {
  visitorCount: object('Where the visitors come from.', {
    readings: readingsOrNull('Readings', 2),
    sum: sum('What they add up to.', 'visitors', 42),
    restarts: count('Totals below nine tenths of the one before: the counter has restarted.', 'readings', 0, PURGED),
  }),
  openCloseNum: object('Where the door events come from.', {
    readings: readingsOrNull('Readings', 3),
    sum: sum('What they add up to.', 'events', 18),
  }),
  currTemp: mean('temperature', 13.64),
  setTemp: mean('set temperature', 16),
  maxTemp: extreme('highest', 5.2),
  minTemp: extreme('lowest', 2.75),
  powerDuration: power('Where the power-on time comes from.', 84_600),
  powerDayDuration: power('Where the power-on time within the daytime comes from.', 43_200),
  distance: distance('Where the mean distance comes from.', {
    spikes: count('Fixes that were left out, since they cannot be.', 'readings', 0),
  }),
  distanceMore: distance('Where the flag comes from.', {
    limitMeters: number('Above this mean distance the flag is 1.', { unit: 'metres', example: FLAGGED_MM / 1000 }),
  }),
}

export const SOURCES = object('For each figure, how many readings count and what they add up to.', sources)
