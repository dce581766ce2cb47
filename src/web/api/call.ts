import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  HTTPMethods,
  onRequestHookHandler,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify'
import { isWithin } from '../../base/device-limit.ts'
import { CoolerError, type ErrorCode } from '../../base/errors.ts'
import { type Static, type TObject, type TSchema, Type } from '../../base/typebox.ts'
import { type Access, devicesOf, noSuchDevice } from './access.ts'

/** Groups of calls, in the order in which they are described. */
export const TAGS = {
  Reports: 'The two report operations, exactly as the interface has them.',
  Telemetry: 'Events in, rejected events, and the rollups that the reports are read from.',
  Devices: 'The registry, and where the figures of a device-day come from.',
  Service: 'How the service is, and this description of it.',
} as const

/** A body or an answer of several media types, or of one that is not JSON. */
export interface Contents {
  /** Of an answer. */
  description?: string
  content: Readonly<Record<string, { schema: TSchema }>>
}

/** Returns the contents of an answer that is a text of one of some media types. */
export const textOf = (description: string, types: readonly string[], example = '...'): Contents => {
  const schema = Type.String({ description, examples: [example] })
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** What a call takes and answers: the check of its requests, the types of its handler and its part of the document. */
export interface CallSchema {
  operationId: string
  tags: readonly [keyof typeof TAGS]
  summary: string
  description: string
  params?: TObject
  querystring?: TObject
  /** A schema is of a JSON object, which the handler is given; contents are given as the bytes that they are. */
  body?: TSchema | Contents
  /** Its good answers, by their status; errors follow from `errors` of the call. */
  response: Readonly<Record<number, TSchema | Contents>>
}

/** A call of the API, all that is said of it. */
export interface Statement extends CallSchema {
  access: Access
  /** What it may fail with, beside what every call may (error-answers.ts). */
  errors: readonly ErrorCode[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of a call that is in the document. */
    errors?: readonly ErrorCode[]
  }
}

type Received<Schema extends FastifySchema> = FastifyRequest<
  RouteGenericInterface,
  RawServerDefault,
  RawRequestDefaultExpression,
  Schema,
  TypeBoxTypeProvider
>

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value

/** The bodies of the good answers of a call. */
type AnswerOf<Schema extends CallSchema> = {
  [Status in keyof Schema['response']]: Schema['response'][Status] extends Contents
    ? never
    : Schema['response'][Status] extends TSchema
      ? DeepReadonly<Static<Schema['response'][Status]>>
      : never
}[keyof Schema['response']]

export interface Call {
  access: Access
  handler: RouteHandlerMethod
  /** Null for what is no part of the document. */
  statement: Statement | null
}

/** Joins what is said of a call with what answers it, by its requests' and answers' types. */
export const call = <const Stated extends Statement>(
  statement: Stated,
  handler: (request: Received<Stated>, reply: FastifyReply) => Promise<AnswerOf<Stated> | FastifyReply>,
): Call => ({ access: statement.access, statement, handler: handler as RouteHandlerMethod })

/** Joins a handler with who may call it, for what is no part of the document. */
export const unlisted = (access: Access, handler: RouteHandlerMethod): Call => ({ access, handler, statement: null })

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

interface ResourceOptions {
  /** Most bytes of a body, where it is not the usual one. */
  bodyLimit?: number
  onRequest?: onRequestHookHandler[]
}

/** Registers the calls of one path; its other methods are answered 405 with what is allowed. */
export function resource(
  app: FastifyInstance,
  url: string,
  calls: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Call>>,
  { bodyLimit, onRequest = [] }: ResourceOptions = {},
): void {
  const own = Object.entries(calls) as [HTTPMethods, Call][]
  const limit = bodyLimit === undefined ? {} : { bodyLimit }
  for (const [method, { access, handler, statement }] of own) {
    const stated = statement === null ? { config: { access } } : statedRoute(statement)
    app.route({ method, url, handler, onRequest, ...limit, ...stated, exposeHeadRoute: false })
  }
  const allowed: string[] = own.map(([method]) => method)
  const access: Access = own.some(([, one]) => one.access === 'open') ? 'open' : 'any-key'
  app.route({
    method: METHODS.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    config: { access },
    handler: async (request, reply) => {
      reply.header('allow', allowed.join(', '))
      throw new CoolerError('method-not-allowed', `${request.method} is not allowed here: use ${allowed.join(' or ')}`)
    },
  })
}

function statedRoute({ access, errors, ...schema }: Statement) {
  const isOfDevice = schema.params !== undefined && 'id' in schema.params.properties
  return { schema, config: { access, errors }, ...(isOfDevice ? { preValidation: requireOwnDevice } : {}) }
}

/** A device that the request's key does not see is as one that there is not, whatever is asked of it. */
function requireOwnDevice(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { id } = request.params as { id: string }
  done(isWithin(devicesOf(request), id) ? undefined : noSuchDevice(id))
}
