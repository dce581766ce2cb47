import { labelOf } from '../../base/labels.ts'
import type { FleetLine } from '../fleet/fleet-cells.ts'
import { LABEL_PREFIX } from '../fleet/fleet-order.ts'
import type { ExportColumn } from './columns.ts'
import { FIGURE_COLUMNS } from './figure-columns.ts'

type FleetColumn = ExportColumn<FleetLine>

const NEVER = 'never'
const TEXT = { kind: 'text', required: true, unit: 'text', empty: NEVER } as const
const HOURS = { kind: 'decimal', places: 4, width: 14, unit: 'hours' } as const
const INSTANT = { ...TEXT, required: false, width: 26, unit: 'instant, RFC 3339 in UTC' } as const
const DEGREES = { kind: 'decimal', places: 7, required: false, width: 18, unit: 'decimal degrees' } as const
const UNPLACED = 'without a placement'

const DAYS: readonly FleetColumn[] = [
  {
    name: 'fromDay',
    kind: 'day',
    required: true,
    width: 12,
    meaning: 'the first day of the range',
    unit: 'local day of each device',
    empty: NEVER,
    value: (_line, { fromDay }) => fromDay,
  },
  {
    name: 'toDay',
    kind: 'day',
    required: true,
    width: 12,
    meaning: 'the last day of the range; both end days count',
    unit: 'local day of each device',
    empty: NEVER,
    value: (_line, { toDay }) => toDay,
  },
]

const STATE: readonly FleetColumn[] = [
  {
    ...TEXT,
    name: 'status',
    width: 12,
    meaning: 'provisional: not closed yet; settled; revised: changed since; none: nothing is known',
    value: ({ status }) => status,
  },
  {
    ...HOURS,
    name: 'hoursOff',
    required: true,
    meaning: 'time known to be off',
    empty: NEVER,
    value: ({ hoursOff }) => hoursOff,
  },
  {
    ...HOURS,
    name: 'hoursUnknown',
    required: false,
    meaning: 'time so far with an unknown power state',
    empty: 'where status is none',
    value: ({ hoursUnknown }) => hoursUnknown,
  },
  {
    ...INSTANT,
    name: 'lastHeardAt',
    meaning: 'the last event up to the end of the range, or to the last rollup',
    empty: 'before the first event',
    value: ({ lastHeardAt }) => lastHeardAt,
  },
  {
    ...TEXT,
    name: 'exceptions',
    required: false,
    width: 24,
    meaning: 'what somebody should look at, separated by blanks',
    empty: 'without any',
    value: ({ exceptions }) => (exceptions.length === 0 ? null : exceptions.join(' ')),
  },
]

const PLACE: readonly FleetColumn[] = [
  { ...TEXT, name: 'timezone', width: 20, meaning: 'the IANA name of its zone', value: ({ timezone }) => timezone },
  {
    ...TEXT,
    name: 'address',
    required: false,
    width: 32,
    meaning: 'the address of its placement',
    empty: 'where none is known',
    value: ({ address }) => address,
  },
  {
    ...INSTANT,
    name: 'placedAt',
    meaning: 'from when on it is meant to stand there',
    empty: UNPLACED,
    value: ({ placement }) => placement?.at ?? null,
  },
  {
    ...DEGREES,
    name: 'placedLatitude',
    meaning: 'the latitude of where it is meant to stand',
    empty: UNPLACED,
    value: ({ placement }) => placement?.lat ?? null,
  },
  {
    ...DEGREES,
    name: 'placedLongitude',
    meaning: 'the longitude of where it is meant to stand',
    empty: UNPLACED,
    value: ({ placement }) => placement?.lon ?? null,
  },
]

/** Returns the columns of a list of the fleet, with one for each key of a label. */
export const fleetColumns = (labelKeys: readonly string[]): FleetColumn[] => [
  ...DAYS,
  { ...TEXT, name: 'id', width: 24, meaning: 'the identifier of the device', value: ({ id }) => id },
  ...FIGURE_COLUMNS.map(
    (column): FleetColumn => ({ ...column, value: (line, head) => column.value({ assertId: line.id, ...line }, head) }),
  ),
  ...STATE,
  ...PLACE,
  ...labelKeys.map(
    (key): FleetColumn => ({
      ...TEXT,
      name: `${LABEL_PREFIX}${key}`,
      required: false,
      width: 20,
      meaning: `its label ${key}`,
      empty: 'without this label',
      value: ({ labels }) => labelOf(labels, key),
    }),
  ),
]
