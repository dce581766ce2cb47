import type { ErrorCode } from '../../base/errors.ts'
import type { Access } from '../api/access.ts'
import type { Schema } from './schema.ts'

/** One call of the API, as the document tells it. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** With parameters in braces. */
  path: string
  operationId: string
  tag: Tag
  summary: string
  description: string
  /** As the route has it. */
  access: Access
  parameters?: readonly Parameter[]
  body?: Body
  /** By their status. */
  answers: Readonly<Record<number, Reply>>
  /** Beside those that every call may end with (see error-answers.ts). */
  errors: readonly ErrorCode[]
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  description: string
  schema: Schema
  /** False in a query, true in a path, unless set. */
  required?: boolean
}

export interface Body {
  description: string
  content: Content
}

export interface Reply {
  description: string
  content: Content
}

/** By media type. */
export type Content = Readonly<Record<string, Media>>

export interface Media {
  schema: Schema
  /** By a name; the schema's own example where there are none. */
  examples?: Readonly<Record<string, { summary: string; value: unknown }>>
}

/** Groups of calls, in the order in which they are told. */
export const TAGS = {
  Reports: 'The two report operations, exactly as the interface has them.',
  Telemetry: 'Events in, rejected events, and the rollups that the reports are read from.',
  Devices: 'The registry, and where the figures of a device-day come from.',
  Service: 'How the service is, and this description of it.',
} as const

export type Tag = keyof typeof TAGS

/** Makes the content of a JSON body. */
export const json = (schema: Schema, examples?: Media['examples']): Content => ({
  'application/json': { schema, ...(examples === undefined ? {} : { examples }) },
})

/** Which page of a list, and how long it is. */
export const limitParameter = (
  what: string,
  { most, default: usual }: { most: number; default: number },
): Parameter => ({
  name: 'limit',
  in: 'query',
  description: `Most ${what} of the page. Unit: ${what}. ${usual} where it is left out.`,
  schema: { type: 'integer', minimum: 1, maximum: most, examples: [usual] },
})
