import {
  EVENT_FIELDS,
  EVENT_TYPES,
  type EventType,
  type Field,
  fieldsOf,
  MAX_ID_UNITS,
  SEQ,
  type TypeStatement,
} from './fields.ts'
import { MAX_BATCH_EVENTS } from './telemetry-event.ts'

/**
 * JSON Schema (2020-12) of a telemetry batch, derived from fields.ts like the checks. An event that fails the schema is
 * rejected. An event that passes can still be rejected by the checks, which alone cover the calendar and age of `at`,
 * exact lengths of strings, zone names, and fixes that are at 0,0 or too coarse.
 */

/** A property of an object schema. */
type Property = Readonly<Record<string, unknown>>

/** Returns the length limits of a string, in UTF-16 units as `string.length` counts them. */
const text = (maxUnits: number, minUnits?: number): Property => ({
  ...(minUnits === undefined ? {} : { minLength: minUnits }),
  maxLength: maxUnits,
  $comment: `At most ${maxUnits} UTF-16 units. JSON Schema counts code points: the exact count is left to the check.`,
})

function propertyOf(field: Field): Property {
  const { description, example } = field
  const examples = [example]
  switch (field.kind) {
    case 'boolean':
      return { type: 'boolean', description, examples }
    case 'number':
    case 'integer': {
      const { kind, unit, min, max } = field
      const maximum = max === undefined ? {} : { maximum: max }
      return { type: kind, description: `${description} Unit: ${unit}.`, minimum: min, ...maximum, examples }
    }
    default: {
      const limits = field.maxUnits === undefined ? {} : text(field.maxUnits)
      return { type: ['string', 'null'], description, ...limits, examples }
    }
  }
}

const propertiesOf = (fields: Readonly<Record<string, Field>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, propertyOf(field)]))

function variantOf(type: EventType) {
  const { description, needs, fields }: TypeStatement = EVENT_FIELDS[type]
  const names = Object.keys(fields)
  const each = names.map((name) => ({ required: [name] }))
  return {
    title: type,
    description,
    ...(needs === 'all' ? { required: names } : needs === 'one' ? { oneOf: each } : { anyOf: each }),
    properties: { type: { const: type }, ...propertiesOf(fieldsOf(type)) },
  }
}

/** JSON Schema of one event. */
export const EVENT_SCHEMA = {
  title: 'Telemetry event',
  description: 'One observation of one device at one instant. Unknown fields are ignored.',
  type: 'object',
  properties: {
    deviceId: {
      type: 'string',
      description: 'Asset identifier, opaque, compared exactly.',
      ...text(MAX_ID_UNITS, 1),
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
    seq: propertyOf(SEQ),
  },
  required: ['deviceId', 'at', 'type'],
  oneOf: EVENT_TYPES.map(variantOf),
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

/** Returns the text of schema/telemetry-batch.schema.json. */
export function renderBatchSchema(): string {
  return `${JSON.stringify(BATCH_SCHEMA, null, 2)}\n`
}
