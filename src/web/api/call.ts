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
import { DEVICE_ID, DEVICE_IN_QUERY, NO_DEVICE } from './schema/device.ts'

/** Groups of calls, in the order in which they are described. */
export const TAGS = {
  Reports: 'The two report operations, exactly as the interface has them.',
  Telemetry: 'Events in, rejected events, and the rollups that the reports are read from.',
  Devices: 'The registry, and where the figures of a device-day come from.',
  Messages: 'Who is told what, where and when, and the messages that were or will be sent.',
  Service: 'How the service is, and this description of it.',
} as const

/** A body or an answer with several media types, or with one other than JSON. */
export interface Contents {
  /** Set for answers only. */
  description?: string
  content: Readonly<Record<string, { schema: TSchema }>>
}

/** Returns the contents of a text answer in any of the media types. */
export const describeText = (description: string, types: readonly string[], example = '...'): Contents => {
  const schema = Type.String({ description, examples: [example] })
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema }])) }
}

/** Requests and answers of a call: the source of the check, the handler's types and the call's part of the document. */
export interface CallSchema {
  operationId: string
  tags: readonly [keyof typeof TAGS]
  summary: string
  description: string
  params?: TObject
  querystring?: TObject
  /** A schema describes a JSON object, which the handler gets parsed; a body with `Contents` is passed as bytes. */
  body?: TSchema | Contents
  /** Successful answers by status; error answers follow from `errors` of the statement. */
  response: Readonly<Record<number, TSchema | Contents>>
}

/** The complete description of an API call. */
export interface Statement extends CallSchema {
  access: Access
  /** Errors it may fail with, in addition to those of every call (error-answers.ts). */
  errors: readonly ErrorCode[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set for calls in the document. */
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

/** The body types of the successful answers of a call. */
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
  /** Null for calls that are not in the document. */
  statement: Statement | null
}

/** Joins a statement with its handler, whose types follow from the requests and answers of the statement. */
export const call = <const Stated extends Statement>(
  statement: Stated,
  handler: (request: Received<Stated>, reply: FastifyReply) => Promise<AnswerOf<Stated> | FastifyReply>,
): Call => ({ access: statement.access, statement, handler: handler as RouteHandlerMethod })

/** Joins a handler with its access, for calls that are not in the document. */
export const unlisted = (access: Access, handler: RouteHandlerMethod): Call => ({ access, handler, statement: null })

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers the calls of one path. Its other methods are answered 405 with the allowed ones. */
export function resource(
  app: FastifyInstance,
  url: string,
  calls: Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Call>>,
  { bodyLimit, onRequest = [] }: { bodyLimit?: number; onRequest?: onRequestHookHandler[] } = {},
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
  const isOfDevice = schema.params?.properties.id === DEVICE_ID
  if (!isOfDevice) return { schema, config: { access, errors } }
  const { additionalProperties = true } = (schema.querystring ?? {}) as { additionalProperties?: boolean }
  const properties = { ...schema.querystring?.properties, deviceId: DEVICE_IN_QUERY }
  const querystring = Type.Object(properties, { additionalProperties })
  const preValidation = [takeDeviceOfQuery, requireOwnDevice]
  return { schema: { ...schema, querystring }, config: { access, errors }, preValidation }
}

/** Takes the device from the query if the path has NO_DEVICE. */
function takeDeviceOfQuery(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const params = request.params as { id: string }
  const { deviceId } = request.query as { deviceId?: string | string[] }
  if (params.id === NO_DEVICE && typeof deviceId === 'string') params.id = deviceId
  done()
}

/** Answers every call for a device outside the key's limit as if the device did not exist. */
function requireOwnDevice(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const { id } = request.params as { id: string }
  done(isWithin(devicesOf(request), id) ? undefined : noSuchDevice(id))
}
