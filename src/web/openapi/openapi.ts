import { ERRORS } from '../../base/errors.ts'
import { VERSION } from '../../base/version.ts'
import { SCOPES } from '../../config/api-keys.ts'
import { COMPONENTS, withReferences } from './components.ts'
import { DAY_OPERATIONS } from './day-operations.ts'
import { DEVICE_OPERATIONS } from './device-operations.ts'
import type { DocumentContent, DocumentOperation, DocumentResponse, OpenApiDocument, Reference } from './document.ts'
import { ERASE_OPERATIONS } from './erase-operations.ts'
import { type AnsweredCode, ERROR_ANSWERS, errorExample, errorHeaders, errorSchema, errorsOf } from './error-answers.ts'
import { EXPORT_OPERATIONS } from './export-operations.ts'
import { INTRODUCTION } from './introduction.ts'
import { type Content, type Operation, TAGS } from './operation.ts'
import { REFERENCE_OPERATIONS } from './reference-operations.ts'
import { REJECT_OPERATIONS } from './reject-operations.ts'
import { REPORT_OPERATIONS } from './report-operations.ts'
import { ROLLUP_OPERATIONS } from './rollup-operations.ts'
import { exampleOf } from './schema.ts'
import { STATUS_OPERATIONS } from './status-operations.ts'
import { TELEMETRY_OPERATIONS } from './telemetry-operations.ts'

/**
 * Every call of the API: a route without an operation fails the tests. Those of a resource stand in one file; what a
 * new one can fail with beside what every call can (error-answers.ts) it says itself.
 */
const OPERATIONS: readonly Operation[] = [
  ...REPORT_OPERATIONS,
  ...EXPORT_OPERATIONS,
  ...TELEMETRY_OPERATIONS,
  ...ROLLUP_OPERATIONS,
  ...REJECT_OPERATIONS,
  ...DEVICE_OPERATIONS,
  ...DAY_OPERATIONS,
  ...ERASE_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...REFERENCE_OPERATIONS,
]

let made: OpenApiDocument | null = null

/** The description of the API, made when it is first asked for. */
export function openApi(): OpenApiDocument {
  made ??= makeDocument()
  return made
}

/** The text of schema/openapi.json, and of what is served. */
export function renderOpenApi(): string {
  return `${JSON.stringify(openApi(), null, 2)}\n`
}

function makeDocument(): OpenApiDocument {
  const codes = [...new Set(OPERATIONS.flatMap(errorsOf))]
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort()
  const names = new Map(Object.entries(COMPONENTS).map(([name, schema]) => [schema as unknown, name]))
  const paths: Record<string, Record<string, DocumentOperation>> = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] ??= {}
    paths[operation.path][operation.method.toLowerCase()] = withReferences(operationOf(operation), names)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'cooler-reports',
      version: VERSION,
      summary: 'Telemetry of commercial coolers in, reports of their status out',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that gave this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(
          Object.entries(COMPONENTS).map(([name, schema]) => [name, withReferences(schema, names)]),
        ),
        ...Object.fromEntries(statuses.map((status) => [`Error${status}`, errorSchema(status)])),
      },
      responses: Object.fromEntries(codes.filter(standsAlone).map((code) => [code, errorAnswer([code])])),
      examples: Object.fromEntries(
        codes.map((code) => [code, { summary: ERROR_ANSWERS[code].meaning, value: errorExample(code) }]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: `An API key. Scopes: ${SCOPES.join(', ')}.` },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key.' },
      },
    },
  }
}

function operationOf(operation: Operation): DocumentOperation {
  const { operationId, tag, summary, access, parameters, body, answers } = operation
  const good = Object.entries(answers).map(([status, { description, content }]) => [
    status,
    { description, content: contentOf(content, 'An answer') },
  ])
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${operation.description} ${whoMayCall(operation)}`,
    security: securityOf(operation),
    'x-access': access,
    ...(parameters === undefined
      ? {}
      : {
          parameters: parameters.map(({ name, in: place, ...rest }) => ({
            name,
            in: place,
            required: place === 'path',
            ...rest,
          })),
        }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { description: body.description, required: true, content: contentOf(body.content, 'A request') },
        }),
    responses: { ...Object.fromEntries(good), ...errorAnswers(operation) },
  }
}

function whoMayCall({ access }: Operation): string {
  if (access === 'open') return 'Open to everybody.'
  if (access === 'any-key') return 'Needs any key, where keys are configured.'
  const limited = access.devices === 'all' ? ' that is not limited to some devices' : ''
  return `Needs a key of the scope \`${access.scope}\`${limited}, where keys are configured.`
}

function securityOf({ access }: Operation): DocumentOperation['security'] {
  if (access === 'open') return []
  const scopes = access === 'any-key' ? [] : [access.scope]
  return [{ bearer: scopes }, { apiKey: scopes }]
}

const contentOf = (content: Content, what: 'A request' | 'An answer'): DocumentContent =>
  Object.fromEntries(
    Object.entries(content).map(([type, { schema, examples }]) => [
      type,
      { schema, examples: examples ?? { example: { summary: what, value: exampleOf(schema) } } },
    ]),
  )

/** Whether no other code has its status: then its answer is the same wherever it occurs. */
const standsAlone = (code: AnsweredCode): boolean =>
  Object.values(ERRORS).filter(({ status }) => status === ERRORS[code].status).length === 1

function errorAnswers(operation: Operation): Record<string, DocumentResponse | Reference> {
  const answers: Record<string, DocumentResponse | Reference> = {}
  const codes = errorsOf(operation)
  for (const code of codes) {
    const { status } = ERRORS[code]
    answers[status] = standsAlone(code)
      ? { $ref: `#/components/responses/${code}` }
      : errorAnswer(codes.filter((other) => ERRORS[other].status === status))
  }
  return answers
}

/** The answer of one status, with the codes that it may have. */
function errorAnswer(codes: readonly AnsweredCode[]): DocumentResponse {
  const { status } = ERRORS[codes[0]]
  const headers = errorHeaders(status)
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
