import type { Access } from '../api/access.ts'

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 has it, with the keywords that the page shows. */
export interface Schema {
  $ref?: string
  title?: string
  description?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema | boolean
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  examples?: readonly unknown[]
}

/** An OpenAPI 3.1 document, as far as it is written and read here. */
export interface OpenApiDocument {
  openapi: string
  info: {
    title: string
    version: string
    summary: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: readonly { url: string; description: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, DocumentResponse>>
    examples: Readonly<Record<string, DocumentExample>>
    securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

export interface Reference {
  $ref: string
}

export interface DocumentOperation {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  /** Who may call it, as the route says. */
  'x-access': Access
  parameters?: readonly DocumentParameter[]
  requestBody?: { required: boolean; content: DocumentContent }
  responses: Readonly<Record<string, DocumentResponse | Reference>>
}

export interface DocumentParameter {
  name: string
  in: string
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}

export interface DocumentResponse {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: Schema }>>
  content: DocumentContent
}

export type DocumentContent = Readonly<
  Record<string, { schema: Schema; examples: Readonly<Record<string, DocumentExample | Reference>> }>
>

export interface DocumentExample {
  summary: string
  value: unknown
}
