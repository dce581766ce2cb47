import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { ERRORS, type ErrorCode } from '../../base/errors.ts'
import { VERSION } from '../../base/version.ts'
import { SCOPES } from '../../config/api-keys.ts'
import type { Access } from '../api/access.ts'
import { TAGS } from '../api/call.ts'
import {
  type AnsweredCode,
  ERROR_ANSWERS,
  errorExample,
  errorHeaders,
  errorSchema,
  errorsOf,
} from '../api/error-answers.ts'
import type {
  DocumentContent,
  DocumentOperation,
  DocumentResponse,
  OpenApiDocument,
  Reference,
  Schema,
} from './document.ts'
import { introduction } from './introduction.ts'
import { asGiven, typeScriptSample } from './samples.ts'
import { describeWebhooks } from './webhooks.ts'

/**
 * Makes the OpenAPI document of all routes that have a statement. Must come before the first route. Adds to the
 * statements who may call, the errors, and examples.
 */
export function describeRoutes(app: FastifyInstance): void {
  const named = new Map<string, Schema>()
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'cooler-reports',
        version: VERSION,
        summary: 'Telemetry of commercial coolers in, reports of their status out',
        description: introduction(),
        license: { name: 'MIT', identifier: 'MIT' },
      } as { title: string; version: string },
      servers: [{ url: '/', description: 'The service that gave this document.' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: `An API key. Scopes: ${SCOPES.join(', ')}.` },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key.' },
        },
      },
    },
    convertConstToEnum: false,
    stripBasePath: false,
    transform: ({ schema, url, route: { config } }) => {
      const { access, errors } = config ?? {}
      if (access === undefined || errors === undefined) return { schema: { hide: true }, url }
      const described = {
        ...withReferences(schema, named),
        description: `${schema.description} ${describeAccess(access)}`,
        security: securityOf(access),
        'x-access': access,
        'x-errors': errors,
      }
      return { schema: described, url }
    },
    transformObject: (made) => {
      const { components, ...rest } = ('openapiObject' in made ? made.openapiObject : {}) as unknown as Described
      return complete({ ...rest, components: { ...components, schemas: Object.fromEntries(named) } }) as object
    },
  })
}

/** Returns the text of schema/openapi.json, which is also served. The routes must be ready. */
export const renderDocument = (app: FastifyInstance): string => `${JSON.stringify(app.swagger(), null, 2)}\n`

/** The document as made by the plugin: some media lack examples, and operations list only their own errors. */
type Described = Omit<OpenApiDocument, 'paths'> & {
  paths: Record<string, Record<string, Omit<DocumentOperation, 'requestBody' | 'x-codeSamples'> & Undescribed>>
}

interface Undescribed {
  'x-errors': readonly ErrorCode[]
  requestBody?: { content: Record<string, Media> }
}

interface Media {
  schema: Schema
  example?: unknown
  examples?: DocumentContent[string]['examples']
}

/**
 * Returns a copy in which each schema with a name (`$id`) is replaced by a reference and added to `named`. Clients
 * generated from the document use these names.
 */
function withReferences<Value>(value: Value, named: Map<string, Schema>): Value {
  const copy = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(copy)
    if (typeof part !== 'object' || part === null) return part
    const { $id, ...rest } = part as { $id?: string; description?: string }
    const copied = mapValues(rest, copy)
    if ($id === undefined) return copied
    named.set($id, copied)
    return { $ref: `#/components/schemas/${$id}`, description: rest.description }
  }
  return copy(value) as Value
}

function describeAccess(access: Access): string {
  if (access === 'open') return 'Open to everybody.'
  if (access === 'any-key') return 'Needs any key, where keys are configured.'
  const limited = access.devices === 'all' ? ' that is not limited to some devices' : ''
  return `Needs a key of the scope \`${access.scope}\`${limited}, where keys are configured.`
}

function securityOf(access: Access): { [scheme: string]: string[] }[] {
  if (access === 'open') return []
  const scopes = access === 'any-key' ? [] : [access.scope]
  return [{ bearer: scopes }, { apiKey: scopes }]
}

function complete({ paths, components, ...head }: Described): OpenApiDocument {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const codesOf = ({ 'x-access': access, requestBody, 'x-errors': errors }: (typeof operations)[number]) =>
    errorsOf(access, requestBody !== undefined, errors)
  const codes = [...new Set(operations.flatMap(codesOf))]
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort()
  const { schemas } = components
  const completed = (operation: (typeof operations)[number], method: string, path: string): DocumentOperation => {
    const { 'x-errors': _, requestBody, responses, parameters, ...rest } = operation
    const answers = Object.entries(responses as Record<string, DocumentResponse>).map(([status, answer]) => [
      status,
      { ...answer, content: withExamples(answer.content, 'An answer', schemas) },
    ])
    const described = {
      ...rest,
      ...(parameters === undefined ? {} : { parameters: parameters.map(asGiven) }),
      ...(requestBody === undefined
        ? {}
        : { requestBody: { required: true, content: withExamples(requestBody.content, 'A request', schemas) } }),
      responses: { ...Object.fromEntries(answers), ...errorAnswers(codesOf(operation)) },
    }
    const source = typeScriptSample(method, path, described, schemas)
    return { ...described, 'x-codeSamples': [{ lang: 'typescript', label: 'TypeScript', source }] }
  }
  return {
    ...head,
    webhooks: withReferences(describeWebhooks(), new Map()),
    paths: mapValues(paths, (methods, path) => mapValues(methods, (one, method) => completed(one, method, path))),
    components: {
      ...components,
      schemas: {
        ...schemas,
        ...Object.fromEntries(statuses.map((status) => [`Error${status}`, errorSchema(status) as Schema])),
      },
      responses: Object.fromEntries(codes.filter(standsAlone).map((code) => [code, errorAnswer([code])])),
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: ERROR_ANSWERS[code].meaning, value: errorExample(code) }]),
      ),
    },
  }
}

const mapValues = <From, To>(
  from: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value, name)]))

type Schemas = OpenApiDocument['components']['schemas']

/** Returns content with an example in each medium: its own, or one made from the examples of its fields. */
const withExamples = (content: Readonly<Record<string, Media>>, summary: string, schemas: Schemas): DocumentContent =>
  mapValues(content, ({ schema, example, examples }) => ({
    schema,
    examples: examples ?? { example: { summary, value: example ?? exampleOf(schema, schemas) } },
  }))

/** Returns a value that fits the schema: its own example, or one made from the examples of its parts. */
function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, examples, const: only, items, properties } = schema
  if ($ref !== undefined) return exampleOf(schemas[$ref.slice($ref.lastIndexOf('/') + 1)], schemas)
  if (examples !== undefined) return examples[0]
  if (only !== undefined) return only
  if (items !== undefined) return [exampleOf(items, schemas)]
  if (properties === undefined) throw new TypeError(`no example: ${JSON.stringify(schema)}`)
  return mapValues(properties, (part) => exampleOf(part, schemas))
}

/** Tells whether no other code has the same status: then its answer is the same for all calls. */
const standsAlone = (code: AnsweredCode): boolean =>
  Object.values(ERRORS).filter(({ status }) => status === ERRORS[code].status).length === 1

function errorAnswers(codes: readonly AnsweredCode[]): Record<string, DocumentResponse | Reference> {
  const answers: Record<string, DocumentResponse | Reference> = {}
  for (const code of codes) {
    const { status } = ERRORS[code]
    answers[status] = standsAlone(code)
      ? { $ref: `#/components/responses/${code}` }
      : errorAnswer(codes.filter((other) => ERRORS[other].status === status))
  }
  return answers
}

/** Returns the error answer of one status, with the codes that it may have. */
function errorAnswer(codes: readonly AnsweredCode[]): DocumentResponse {
  const { status } = ERRORS[codes[0]]
  const headers = errorHeaders(status) as Required<DocumentResponse>['headers']
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_ANSWERS[code].meaning}`).join(' '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/Error${status}` },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
}
