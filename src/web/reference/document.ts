import type { Access } from '../api/access.ts'

/** A JSON Schema 2020-12, as used by OpenAPI 3.1, with the keywords that are read here. */
export interface Schema {
  $ref?: string
  description?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  /** The schema of entries whose names are not known. */
  additionalProperties?: Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  examples?: readonly unknown[]
}

/** The parts of an OpenAPI 3.1 document that are written and read here. */
export interface OpenApiDocument {
  openapi: string
  info: { description: string }
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  /** Payloads of webhooks, by type. */
  webhooks: Readonly<Record<string, unknown>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, DocumentResponse>>
    examples: Readonly<Record<string, { summary: string; value: unknown }>>
  }
}

export type Reference = { $ref: string }

export interface DocumentOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  /** Who may call it, as declared by the route. */
  'x-access': Access
  parameters?: readonly DocumentParameter[]
  requestBody?: { required: boolean; content: DocumentContent }
  responses: Readonly<Record<string, DocumentResponse | Reference>>
  /** Programs that make the call, which the documentation page shows along with those that it makes itself. */
  'x-codeSamples': readonly { lang: string; label: string; source: string }[]
}

export interface DocumentParameter {
  in: string
  name: string
  required?: boolean
  description: string
  schema: Schema
  example?: unknown
  /** Instead of `example`: one that samples of the call give although it is not required. */
  examples?: { given: { value: unknown; 'x-disabled': false } }
}

export interface DocumentResponse {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: Schema }>>
  content: DocumentContent
}

export type DocumentContent = Readonly<
  Record<
    string,
    { schema: Schema; examples: Readonly<Record<string, { summary: string; value: unknown } | Reference>> }
  >
>
