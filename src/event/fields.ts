/**
 * What an event is (RULES.md 2), stated once: the types of events, the fields of each, their bounds and how they are
 * kept. The types of the producer, the JSON Schema of a batch, the checks, the mapping's fields, readable events and
 * the scanner's tables follow from it. Bounds include both ends.
 */

interface About {
  description: string
  example: unknown
}

export interface NumberField extends About {
  kind: 'number' | 'integer'
  unit: string
  min: number
  /** Left out where there is no upper bound. */
  max?: number
  /** Kept in units of 1/scale, rounded half away from zero; as it is unless set. */
  scale?: number
}

/** Kept as 1 or 0. */
export interface FlagField extends About {
  kind: 'boolean'
}

/** Null is as if it were left out; so is an empty text of kind `text`. */
export interface TextField extends About {
  kind: 'text' | 'timezone'
  /** Most UTF-16 units; any number unless set. */
  maxUnits?: number
}

export type Field = NumberField | FlagField | TextField

export interface TypeStatement {
  description: string
  /** How many of its fields an event must have: all of them, exactly one, or at least one. */
  needs: 'all' | 'one' | 'some'
  fields: Readonly<Record<string, Field>>
  /** Fields that an event may have besides. */
  optional?: Readonly<Record<string, Field>>
}

/** Most UTF-16 units of a `deviceId`; it has at least one. */
export const MAX_ID_UNITS = 256

/** A counter. */
const COUNTER = { min: 0, max: Number.MAX_SAFE_INTEGER } as const

/** What tells apart equal events of one instant. */
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

/** Returns how many of its fields an event of a type must have. */
export const needsOf = (type: EventType): TypeStatement['needs'] => EVENT_FIELDS[type].needs

/** Returns the fields that events of a type have of their own, the optional ones last. */
export function fieldsOf(type: EventType): Readonly<Record<string, Field>> {
  const { fields, optional }: TypeStatement = EVENT_FIELDS[type]
  return { ...fields, ...optional }
}

/** The fields of all types by name; fields of one name are of one kind. */
export const FIELDS_BY_NAME: Readonly<Record<string, Field>> = Object.assign({}, ...EVENT_TYPES.map(fieldsOf))

/** How an event is kept as columns `a` and `b`. */
export interface KindStatement {
  /** Never changes: it is in stores. */
  number: number
  type: EventType
  /** The field that column `a` holds. */
  a: string
  /** The field that column `b` holds; without one the column is 0. */
  b?: string
  /** Field `a` takes 53 bits: column `a` holds the low 32 of them, and `b` the others. */
  isWide?: boolean
}

/**
 * The kinds of columns, in the order of their numbers. Placements are not among them: they are kept apart, for ever,
 * where every rollup can see all of a device's.
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
