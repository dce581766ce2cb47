import { CHECKED_ELSEWHERE, EXPECTED, instant, integer, nullable, number, text } from '../../../base/schema-fields.ts'
import { Type } from '../../../base/typebox.ts'
import { EVENT_FIELDS, MAX_ID_UNITS, type NumberField } from '../../../event/fields.ts'
import { AT } from './event.ts'
import { LABELS } from './labels.ts'

export const ID = 'CLR-1'
export const STARTED = '2026-11-20T07:00:00.000Z'

/** The identifier of a device in a path. */
export const DEVICE_ID = Type.Refine(
  text('Asset identifier, percent-encoded where it has characters such as `/`.', ID, {
    minLength: 1,
    maxLength: MAX_ID_UNITS,
    [EXPECTED]: `a string of 1 to ${MAX_ID_UNITS} UTF-16 units`,
  }),
  // minLength and maxLength count characters, not UTF-16 units.
  (id) => id.length <= MAX_ID_UNITS,
)

/** Stands in a path for the device that the query names. */
export const NO_DEVICE = '-'

/** The identifier of a device in a query. */
export const DEVICE_IN_QUERY = Type.Optional(
  text(
    `Asset identifier, where the path has \`${NO_DEVICE}\`: for \`.\` and \`..\`, which clients remove from paths.`,
    '..',
  ),
)

const { lat, lon } = EVENT_FIELDS.placement.fields
const { timezone, address } = EVENT_FIELDS.placement.optional

const degrees = ({ description, unit, min, max, example }: Required<NumberField>) =>
  number(description, unit, example as number, { minimum: min, maximum: max })

const ADDRESS = text('Address; left out where none is known.', address.example, { maxLength: address.maxUnits })

/** A position as fields of an object. */
export const POSITION = { lat: degrees(lat), lon: degrees(lon) }

const PLACE = {
  seq: Type.Optional(
    integer("The device's own counter; left out where there is none.", 'events', 7, {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  ),
  ...POSITION,
  timezone: Type.Optional(
    text('IANA name of the time zone; `COOLER_DEFAULT_TIMEZONE` where it is left out.', timezone.example),
  ),
}

export const PLACEMENT_EXAMPLE = {
  at: STARTED,
  lat: lat.example,
  lon: lon.example,
  timezone: timezone.example,
  address: address.example,
}

export const PLACEMENT = Type.Object(
  { at: instant('From when on.', STARTED), ...PLACE, address: Type.Optional(ADDRESS) },
  {
    $id: 'Placement',
    description: 'Where a device is meant to stand from an instant on.',
    examples: [PLACEMENT_EXAMPLE],
  },
)

/** A placement as sent in a request. Its values are checked by the rules of events. */
export const PLACEMENT_TO_PUT = Type.Object(
  { at: AT, ...PLACE, address: Type.Optional(nullable(ADDRESS, 'as if it were left out')) },
  {
    description: 'Where a device is meant to stand from an instant on, at most ten years ahead.',
    examples: [PLACEMENT_EXAMPLE],
    [CHECKED_ELSEWHERE]: true,
  },
)

export const DEVICE = Type.Object(
  {
    id: text('Asset identifier.', ID),
    registeredAt: instant('When it was registered: by its first event, or by a call.', '2026-11-20T08:05:01.250Z'),
    retiredAt: nullable(instant('When it was retired.', STARTED), 'while it is in use', null),
    firstHeardAt: nullable(
      instant('When its first event that was rolled up happened.', '2026-11-20T08:00:00.000Z'),
      'before it',
    ),
    lastHeardAt: nullable(
      instant('When its last event that was rolled up happened.', '2026-11-20T08:08:00.000Z'),
      'before the first',
    ),
    labels: LABELS,
    placements: Type.Array(PLACEMENT, { description: 'All of its placements, in the order of their instants.' }),
  },
  { $id: 'Device', description: 'A registered device.' },
)
