import { BOUNDS, EVENT_TYPES, type EventType, MAX_BATCH_EVENTS } from './telemetry-event.ts'

/**
 * JSON Schema (2020-12) of a telemetry batch, from the same BOUNDS as the checks. What fails here is rejected; what
 * passes can still be: calendar and age of `at`, exact lengths of strings, zone names, and fixes at 0,0 or too coarse
 * are left to the checks.
 */

/** A property of an object schema. */
type Property = Readonly<Record<string, unknown>>

interface Variant {
  description: string
  properties: Readonly<Record<string, Property>>
  required?: readonly string[]
  /** Exactly one of these, or at least one. */
  oneOf?: readonly { required: readonly string[] }[]
  anyOf?: readonly { required: readonly string[] }[]
}

/** Lengths count UTF-16 units, as `string.length` does. */
const text = (maxUnits: number, minUnits?: number): Property => ({
  ...(minUnits === undefined ? {} : { minLength: minUnits }),
  maxLength: maxUnits,
  $comment: `At most ${maxUnits} UTF-16 units. JSON Schema counts code points: the exact count is left to the check.`,
})

const range = (
  type: 'number' | 'integer',
  { min, max }: { min: number; max: number },
  { description, unit, example }: { description: string; unit: string; example: number },
): Property => ({
  type,
  description: `${description} Unit: ${unit}.`,
  minimum: min,
  maximum: max,
  examples: [example],
})

const flag = (description: string): Property => ({ type: 'boolean', description, examples: [true] })

const COUNTER = { min: 0, max: BOUNDS.safeInteger }
const position = {
  lat: range('number', BOUNDS.latitude, { description: 'Latitude.', unit: 'decimal degrees', example: 52.52 }),
  lon: range('number', BOUNDS.longitude, { description: 'Longitude.', unit: 'decimal degrees', example: 13.405 }),
}
const address: Property = {
  type: ['string', 'null'],
  description: 'Address of the position. Null or empty, as if it were left out, where it is not known.',
  ...text(BOUNDS.addressUnits),
  examples: ['Hauptstraße 1, Berlin'],
}
const degrees = (description: string, example: number): Property =>
  range('number', BOUNDS.celsius, { description, unit: '°C', example })
const eitherOf = (...names: readonly string[]) => names.map((name) => ({ required: [name] }))

const variants: Readonly<Record<EventType, Variant>> = {
  door: {
    description:
      'The door was opened or closed, or `count` such events happened since the last report. One of the two.',
    properties: {
      open: flag('Whether the door was opened (true) or closed.'),
      count: range('integer', BOUNDS.doorCount, {
        description: 'Times that it was opened or closed since the last report.',
        unit: 'events',
        example: 6,
      }),
    },
    oneOf: eitherOf('open', 'count'),
  },
  temperature: {
    description: 'Degrees Celsius: the measured temperature, the set temperature, or both.',
    properties: {
      celsius: degrees('Measured temperature.', 3.4),
      setpoint: degrees('Set temperature.', 4),
    },
    anyOf: eitherOf('celsius', 'setpoint'),
  },
  power: {
    description: 'The power is on or off from `at` on.',
    properties: { on: flag('Whether the power is on (true) or off.') },
    required: ['on'],
  },
  gps: {
    description: 'A position fix in decimal degrees.',
    properties: {
      ...position,
      accuracy: {
        type: 'number',
        description: `How exact the fix is; one worse than ${BOUNDS.accuracyMeters.worst} m is rejected. Unit: metres.`,
        minimum: 0,
        examples: [8],
      },
      address,
    },
    required: ['lat', 'lon'],
  },
  visitor: {
    description: 'Visitors since the last report (`count`), or a running counter (`total`). One of the two.',
    properties: {
      count: range('integer', BOUNDS.visitorCount, {
        description: 'Visitors since the last report.',
        unit: 'visitors',
        example: 3,
      }),
      total: range('integer', COUNTER, { description: 'A running counter.', unit: 'visitors', example: 1042 }),
    },
    oneOf: eitherOf('count', 'total'),
  },
  placement: {
    description: 'From `at` on the device is meant to stand here.',
    properties: {
      ...position,
      timezone: {
        type: ['string', 'null'],
        description:
          'IANA name of the time zone, in any letter case; `COOLER_DEFAULT_TIMEZONE` where it is left out or null.',
        examples: ['Europe/Berlin'],
      },
      address,
    },
    required: ['lat', 'lon'],
  },
}

/** One event. */
export const EVENT_SCHEMA = {
  title: 'Telemetry event',
  description: 'One observation of one device at one instant. Unknown fields are ignored.',
  type: 'object',
  properties: {
    deviceId: {
      type: 'string',
      description: 'Asset identifier, opaque, compared exactly.',
      ...text(BOUNDS.deviceIdUnits, 1),
      examples: ['CLR-1'],
    },
    at: {
      type: ['string', 'integer'],
      description: 'RFC 3339 with Z or an offset (a blank may stand for the T), or epoch milliseconds.',
      examples: ['2026-11-20T09:05:00+01:00', 1_795_161_900_000],
    },
    type: {
      description: 'What was observed; it decides which other fields there are.',
      enum: EVENT_TYPES,
      examples: ['power'],
    },
    seq: range('integer', COUNTER, {
      description: "The device's own counter; tells apart equal events of one instant.",
      unit: 'events',
      example: 7,
    }),
  },
  required: ['deviceId', 'at', 'type'],
  oneOf: EVENT_TYPES.map((type) => {
    const { properties, ...rest } = variants[type]
    return { title: type, ...rest, properties: { type: { const: type }, ...properties } }
  }),
} as const

export const BATCH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:cooler-reports:telemetry-batch',
  title: 'Telemetry batch',
  type: 'object',
  properties: { events: { type: 'array', maxItems: MAX_BATCH_EVENTS, items: { $ref: '#/$defs/event' } } },
  required: ['events'],
  $defs: { event: EVENT_SCHEMA },
} as const

/** The text of schema/telemetry-batch.schema.json. */
export function renderBatchSchema(): string {
  return `${JSON.stringify(BATCH_SCHEMA, null, 2)}\n`
}
