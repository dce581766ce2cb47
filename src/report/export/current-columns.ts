import type { ExportColumn } from './columns.ts'

const DEGREES = { kind: 'decimal', places: 7, required: false, width: 13, unit: 'decimal degrees' } as const
const TEXT = { kind: 'text', required: false, unit: 'text' } as const
const NOWHERE = 'without a fix and without a placement in force'

/**
 * The columns of a device's current state, which does not depend on the range. `location` is the interface's text of
 * both degrees, which spreadsheets may misread, so both are also given as numbers.
 */
export const CURRENT_COLUMNS: readonly ExportColumn[] = [
  {
    ...TEXT,
    name: 'location',
    width: 24,
    meaning: 'latitude and longitude of the latest fix, or else of the placement in force now, as one text',
    empty: NOWHERE,
    value: ({ location = null }) => location,
  },
  {
    ...DEGREES,
    name: 'latitude',
    meaning: 'the latitude of location as a number',
    empty: NOWHERE,
    value: ({ location = null }) => degreesOf(location, 0),
  },
  {
    ...DEGREES,
    name: 'longitude',
    meaning: 'the longitude of location as a number',
    empty: NOWHERE,
    value: ({ location = null }) => degreesOf(location, 1),
  },
  {
    ...TEXT,
    name: 'address',
    width: 32,
    meaning: 'the address of the latest fix, or else of the placement in force now',
    empty: 'where neither has one',
    value: ({ address = null }) => address,
  },
  {
    ...TEXT,
    name: 'throwinDate',
    width: 20,
    unit: 'YYYY-MM-DD HH:MM:SS in the time zone of the placement',
    meaning: 'since when the placement is in force that is so now',
    empty: 'without a placement in force',
    value: ({ throwinDate = null }) => throwinDate,
  },
]

const degreesOf = (location: string | null, nth: 0 | 1): number | null =>
  location === null ? null : Number(location.split(',')[nth])
