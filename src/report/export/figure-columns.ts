import type { ExportColumn } from './columns.ts'

const COUNT = { kind: 'count', required: true, width: 14, empty: 'never: 0 without data' } as const
const CELSIUS = { kind: 'decimal', places: 2, required: false, width: 10, unit: '°C' } as const
const HOURS = { kind: 'decimal', places: 4, required: true, width: 17, unit: 'hours' } as const

/** The figures of both reports (RULES.md 3 and 4), in the order of the interface. */
export const FIGURE_COLUMNS: readonly ExportColumn[] = [
  {
    ...COUNT,
    name: 'visitorCount',
    unit: 'visitors',
    meaning: 'sum of the visitors counted, and of the increases of running totals',
    value: ({ visitorCount }) => visitorCount,
  },
  {
    ...COUNT,
    name: 'openCloseNum',
    unit: 'door events',
    meaning: 'door events, an open and a close each counting one',
    value: ({ openCloseNum }) => openCloseNum,
  },
  {
    ...CELSIUS,
    name: 'currTemp',
    meaning: 'mean of all temperature readings',
    empty: 'without a temperature reading',
    value: ({ currTemp }) => currTemp,
  },
  {
    ...CELSIUS,
    name: 'setTemp',
    meaning: 'mean of all set temperatures that were reported',
    empty: 'without a report of the set temperature',
    value: ({ setTemp }) => setTemp,
  },
  {
    ...CELSIUS,
    name: 'maxTemp',
    meaning: 'highest temperature reading',
    empty: 'without a temperature reading',
    value: ({ maxTemp }) => maxTemp,
  },
  {
    ...CELSIUS,
    name: 'minTemp',
    meaning: 'lowest temperature reading',
    empty: 'without a temperature reading',
    value: ({ minTemp }) => minTemp,
  },
  {
    ...HOURS,
    name: 'powerDuration',
    meaning: 'time powered on; before the first power event, and beyond the silence limit, nothing counts',
    empty: 'never: 0 where nothing is known',
    value: ({ powerDuration }) => powerDuration,
  },
  {
    ...HOURS,
    name: 'powerDayDuration',
    meaning: 'the part of powerDuration that lies in the daytime of the device',
    empty: 'never: 0 where nothing is known',
    value: ({ powerDayDuration }) => powerDayDuration,
  },
  {
    name: 'distance',
    kind: 'decimal',
    places: 2,
    required: false,
    width: 12,
    unit: 'metres',
    meaning: 'mean distance of the position fixes from where the device is meant to stand; spikes are left out',
    empty: 'without a fix',
    value: ({ distance }) => distance,
  },
  {
    name: 'distanceMore',
    kind: 'flag',
    required: true,
    width: 13,
    unit: '0 or 1',
    meaning: '1 where the unrounded mean distance is above 200 metres, else 0',
    empty: 'never: 0 without a fix',
    value: ({ distanceMore }) => distanceMore,
  },
]
