import { EXCEPTION_NAMES } from '../../../base/exceptions.ts'
import {
  count,
  day,
  EXPECTED,
  flag,
  instant,
  integer,
  mapOf,
  nullable,
  number,
  oneOf,
  pageSize,
  text,
} from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { EVENT_FIELDS } from '../../../event/fields.ts'
import { DAY_STATUSES } from '../../../report/day-status.ts'
import { isOrderName, LABEL_PREFIX, ORDER_NAMES, type OrderName } from '../../../report/fleet/fleet-order.ts'
import { FIGURE_NAMES } from '../../../rollup/figures/figures.ts'
import { figures } from '../../../rollup/figures/schema.ts'
import { ID, POSITION, STARTED } from './device.ts'
import { DESCRIBED, FIRST } from './device-days.ts'
import { LABEL_PARAMETER, LABELS } from './labels.ts'

const { address, timezone } = EVENT_FIELDS.placement.optional

const SORT = Type.Refine(
  Type.Unsafe<OrderName>(
    text(
      `What to sort by; \`id\` unless given. One of ${ORDER_NAMES.map((name) => `\`${name}\``).join(', ')}, or \`${LABEL_PREFIX}\` and the key of a label. Unknown values come last in either direction.`,
      'exceptions',
      { [EXPECTED]: `one of ${ORDER_NAMES.join(', ')}, ${LABEL_PREFIX}KEY` },
    ),
  ),
  isOrderName,
)

/** Parameters that name a day or a range. */
export const FLEET_DAYS = {
  day: Type.Optional(day('The local day, instead of a range.', FIRST)),
  fromDay: Type.Optional(day('First local day of the range.', FIRST)),
  toDay: Type.Optional(day('Last local day of the range, counted too.', FIRST)),
}

/** Parameters that select devices. */
export const FLEET_SELECTION = {
  search: Type.Optional(text('Only devices with this in their id or address, in upper or lower case.', 'berlin')),
  timezone: Type.Optional(text('Only devices placed in this IANA zone.', timezone.example)),
  label: LABEL_PARAMETER,
  exception: Type.Optional(
    oneOf('Only devices with this exception, or with any, on a day.', [...EXCEPTION_NAMES, 'any'], 'any'),
  ),
  status: Type.Optional(
    oneOf('Only devices with this status. `settled` includes revised ones.', DAY_STATUSES, 'settled'),
  ),
  unknown: Type.Optional(oneOf('Only devices of which this figure is unknown.', FIGURE_NAMES, 'currTemp')),
}

/** Parameters that select devices, sort them, and take a page of them. */
export const FLEET_PARAMETERS = {
  ...FLEET_SELECTION,
  sort: Type.Optional(SORT),
  order: Type.Optional(oneOf('Ascending, unless given, or descending.', ['asc', 'desc'], 'desc')),
  offset: Type.Optional(integer('Devices to skip.', 'devices', 0, { minimum: 0, maximum: 1_000_000_000 })),
  limit: pageSize('devices'),
  daily: Type.Optional(oneOf('A figure that each row is to have for each day, too.', FIGURE_NAMES, 'currTemp')),
}

const daysHeld = (name: string) => Type.Optional(count(`Days with the exception \`${name}\`.`, 'days', 1))

const FLEET_ROW = Type.Object(
  {
    id: text('Asset identifier.', ID),
    ...figures('of the range'),
    ...DESCRIBED,
    status: oneOf(
      '`provisional` if a day of the range is; else `revised` if a day of it was changed after it had closed; else `settled`. `none` if nothing is known of any.',
      DAY_STATUSES,
      'settled',
    ),
    exceptionDays: Type.Object(Object.fromEntries(EXCEPTION_NAMES.map((name) => [name, daysHeld(name)])), {
      description: 'Days of the range with each of the exceptions that it has.',
    }),
    lastHeardAt: nullable(
      instant('Its last event up to the end of the range, or to its last rollup.', '2026-11-20T22:58:00.000Z'),
      'before the first',
    ),
    timezone: text('IANA name of its zone.', timezone.example),
    address: nullable(text('Address of its placement.', address.example), 'where none is known'),
    placement: nullable(
      Type.Object(
        { at: instant('From when on.', STARTED), ...POSITION },
        { description: 'Where it is meant to stand: at the end of the range, or now if that is earlier.' },
      ),
      'without a placement',
    ),
    labels: LABELS,
    lastFix: nullable(
      Type.Object(
        { at: instant('When.', '2026-11-20T22:58:00.000Z'), ...POSITION },
        { description: 'Its last position fix of the last day of the range.' },
      ),
      'without a fix on that day, and where its raw events are deleted',
    ),
    daily: Type.Optional(
      Type.Array(nullable(number('The figure of a day.', 'that of the figure', 4.5), 'where it is unknown'), {
        description: 'The figure of `daily` on each day, in order; null where it is unknown or nothing is stored.',
      }),
    ),
  },
  { $id: 'FleetRow', description: 'A device in a range of local days.' },
)

const devices = (which: string) => count(`Devices ${which}.`, 'devices', 3)
const countsBy = (names: readonly string[], description: string, which: (name: string) => string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, devices(which(name))])), { description })

const SUMS = Type.Object(
  {
    devices: devices('with the text and in the zone and with the labels asked for'),
    exceptions: countsBy(
      [...EXCEPTION_NAMES, 'any'],
      'How many of them have each exception.',
      (name) => `with ${name === 'any' ? 'any exception' : `the exception \`${name}\``}`,
    ),
    status: countsBy(
      ['provisional', 'settled', 'none'],
      'How many have each status. Revised ones count as settled.',
      (name) => `with the status \`${name}\``,
    ),
    unknown: mapOf('How many lack each figure.', devices('of which it is unknown'), { currTemp: 2 }),
    figures: Type.Object(figures('of all of them together'), {
      description: 'Their figures together: sums, means over all readings, and extremes.',
    }),
  },
  {
    description:
      'Sums over the devices that `search`, `timezone` and `label` select, whatever their exceptions and status.',
  },
)

export const FLEET = Type.Object(
  {
    devices: devices('that the caller may see'),
    matching: devices('that match'),
    labelKeys: Type.Array(text('Key of a label.', 'route'), {
      description: 'Keys of the labels of all devices that the caller may see, in order.',
    }),
    sums: SUMS,
    rows: Type.Array(FLEET_ROW, { description: 'The page: devices that match, in the order asked for.' }),
    next: nullable(count('`offset` of the next page.', 'devices', 100), 'on the last page'),
  },
  { $id: 'Fleet', description: 'Devices in a range of local days.' },
)

const FLEET_POINT = Type.Object(
  {
    id: text('Asset identifier.', ID),
    ...POSITION,
    exceptions: Type.Array(oneOf('An exception.', EXCEPTION_NAMES, 'moved'), { description: 'Those that it has.' }),
    isKnown: flag('Whether there is a fix, so that it is known whether it has moved.', true),
  },
  { $id: 'FleetPoint', description: 'Where a device is meant to stand.' },
)

export const FLEET_MAP = Type.Object(
  {
    matching: devices('that match'),
    unplaced: devices('of these that have no placement, and so no point'),
    points: Type.Array(FLEET_POINT, { description: 'The others, in the order of their ids.' }),
  },
  { $id: 'FleetMap', description: 'Where the devices of a fleet are meant to stand.' },
)
