/**
 * The one definition of an event (RULES.md 2): the event types, their fields, the bounds, and how values are kept. The
 * producer's types, the JSON Schema of a batch, the checks, the mapping's fields, readable events and the scanner's
 * tables are derived from it. Bounds are inclusive.
 */

interface About {
  description: string
  example: unknown
}

export interface NumberField extends About {
  kind: 'number' | 'integer'
  unit: string
  min: number
  /** Absent if there is no upper bound. */
  max?: number
  /** The value is kept in units of 1/scale, rounded half away from zero; if absent, it is kept unchanged. */
  scale?: number
}

/** A boolean, kept as 1 or 0. */
export interface FlagField extends About {
  kind: 'boolean'
}

/** A string. Null counts as left out; so does an empty string of kind `text`. */
export interface TextField extends About {
  kind: 'text' | 'timezone'
  /** Most UTF-16 units; if absent, there is no limit. */
  maxUnits?: number
}

export type Field = NumberField | FlagField | TextField

export interface TypeStatement {
  description: string
  /** How many of its fields an event must have: all of them, exactly one, or at least one. */
  needs: 'all' | 'one' | 'some'
  fields: Readonly<Record<string, Field>>
  /** Further fields that an event may have. */
  optional?: Readonly<Record<string, Field>>
}

/** Most UTF-16 units of a `deviceId`; it has at least one. */
export const MAX_ID_UNITS = 256

/** A counter. */
const COUNTER = { min: 0, max: Number.MAX_SAFE_INTEGER } as const

/** The field that distinguishes equal events of one instant. */
export const SEQ: NumberField = {
  kind: 'integer',
  description: "The device's own counter; tells apart equal events of one instant.",
  unit: 'events',
  ...COUNTER,
  example: 7,
}

/** A fix whose `accuracy` is worse than this is rejected, in metres. */
export const WORST_ACCURACY = 500

const degreesCelsius = { kind: 'number', unit: '°C', min: -60, max: 80, scale: 1000 } as const
const decimalDegrees = { kind: 'number', unit: 'decimal degrees', scale: 1e7 } as const
const position = {
  lat: { ...decimalDegrees, description: 'Latitude.', min: -90, max: 90, example: 52.52 },
  lon: { ...decimalDegrees, description: 'Longitude.', min: -180, max: 180, example: 13.405 },
} as const
const address = {
  kind: 'text',
  description: 'Address of the position. Null or empty, as if it were left out, where it is not known.',
  maxUnits: 512,
  example: 'Hauptstraße 1, Berlin',
} as const

export const EVENT_FIELDS = {
  door: {
    description:
      'The door was opened or closed, or `count` such events happened since the last report. One of the two.',
    needs: 'one',
    fields: {
      open: { kind: 'boolean', description: 'Whether the door was opened (true) or closed.', example: true },
      count: {
        kind: 'integer',
        description: 'Times that it was opened or closed since the last report.',
        unit: 'events',
        min: 1,
        max: 100_000,
        example: 6,
      },
    },
  },
  temperature: {
    description: 'Degrees Celsius: the measured temperature, the set temperature, or both.',
    needs: 'some',
    fields: {
      celsius: { ...degreesCelsius, description: 'Measured temperature.', example: 3.4 },
      setpoint: { ...degreesCelsius, description: 'Set temperature.', example: 4 },
    },
  },
  power: {
    description: 'The power is on or off from `at` on.',
    needs: 'all',
    fields: { on: { kind: 'boolean', description: 'Whether the power is on (true) or off.', example: true } },
  },
  gps: {
    description: 'A position fix in decimal degrees.',
    needs: 'all',
    fields: position,
    optional: {
      accuracy: {
        kind: 'number',
        description: `How exact the fix is; one worse than ${WORST_ACCURACY} m is rejected.`,
        unit: 'metres',
        min: 0,
        example: 8,
      },
      address,
    },
  },
  visitor: {
    description: 'Visitors since the last report (`count`), or a running counter (`total`). One of the two.',
    needs: 'one',
    fields: {
      count: {
        kind: 'integer',
        description: 'Visitors since the last report.',
        unit: 'visitors',
        min: 0,
        max: 1_000_000,
        example: 3,
      },
      total: { kind: 'integer', description: 'A running counter.', unit: 'visitors', ...COUNTER, example: 1042 },
    },
  },
  placement: {
    description: 'From `at` on the device is meant to stand here.',
    needs: 'all',
    fields: position,
    optional: {
      timezone: {
        kind: 'timezone',
        description:
          'IANA name of the time zone, in any letter case; `COOLER_DEFAULT_TIMEZONE` where it is left out or null.',
        example: 'Europe/Berlin',
      },
      address,
    },
  },
} as const satisfies Record<string, TypeStatement>

/** Fields that every event may have, before those of its type. */
export const COMMON_FIELDS = ['deviceId', 'at', 'type', 'seq'] as const

export type EventType = keyof typeof EVENT_FIELDS
export const EVENT_TYPES = Object.keys(EVENT_FIELDS) as readonly EventType[]

/** Tells whether a value names a type of event. */
export const isEventType = (value: unknown): value is EventType => (EVENT_TYPES as readonly unknown[]).includes(value)

/** Returns how many of the fields of its type an event must have. */
export const needsOf = (type: EventType): TypeStatement['needs'] => EVENT_FIELDS[type].needs

/** Returns the fields specific to an event type, the optional ones last. */
export function fieldsOf(type: EventType): Readonly<Record<string, Field>> {
  const { fields, optional }: TypeStatement = EVENT_FIELDS[type]
  return { ...fields, ...optional }
}

/** The fields of all types by name. Fields with the same name have the same kind. */
export const FIELDS_BY_NAME: Readonly<Record<string, Field>> = Object.assign({}, ...EVENT_TYPES.map(fieldsOf))

/** How an event is kept as columns `a` and `b`. */
export interface KindStatement {
  /** Must never change, because stores hold it. */
  number: number
  type: EventType
  /** The field that column `a` holds. */
  a: string
  /** The field that column `b` holds. If absent, the column is 0. */
  b?: string
  /** Field `a` takes 53 bits: column `a` holds the low 32 of them, and `b` the others. */
  isWide?: boolean
}

/**
 * The kinds of columns, in the order of their numbers. Placements are not among them: they are stored separately, for
 * ever, so that every rollup can see all placements of a device.
 */
export const KINDS = {
  doorState: { number: 0, type: 'door', a: 'open' },
  doorCount: { number: 1, type: 'door', a: 'count' },
  temperature: { number: 2, type: 'temperature', a: 'celsius', b: 'setpoint' },
  power: { number: 3, type: 'power', a: 'on' },
  fix: { number: 4, type: 'gps', a: 'lat', b: 'lon' },
  visitorCount: { number: 5, type: 'visitor', a: 'count' },
  visitorTotal: { number: 6, type: 'visitor', a: 'total', isWide: true },
} as const satisfies Record<string, KindStatement>
