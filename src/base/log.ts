import { type DestinationStream, type Logger, pino } from 'pino'

/** Fields that are not for a log: keys, and what devices and their owners have sent. */
const SECRETS = ['authorization', '["x-api-key"]', 'cookie', 'password', 'redisUrl', 'body', 'payload', 'events', 'raw']

/** In the object of a line, and in what it holds: what is deeper is logged nowhere. */
const paths = SECRETS.flatMap((name) => {
  const field = name.startsWith('[') ? name : `.${name}`
  return [name, `*${field}`, `*.*${field}`]
})

/** The program's log: one JSON object a line on standard error, so that standard output stays the command's own. */
export const createLogger = (
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger => pino({ level, base: null, serializers: { err: errorFields }, redact: { paths, censor } }, destination)

/** How many there were may be told. */
const censor = (value: unknown): unknown => (typeof value === 'number' ? value : '(redacted)')

/**
 * What a log tells of an error. Not every field that it has: a Redis client puts the command that failed there, with
 * the password of AUTH, and an HTTP parser the bytes that it could not read.
 */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutLogin(String(error))
  const { type, message, stack, aggregateErrors } = pino.stdSerializers.err(error)
  const { code } = error as NodeJS.ErrnoException
  return {
    type,
    message: withoutLogin(message),
    stack: withoutLogin(stack),
    ...(code === undefined ? {} : { code }),
    ...(aggregateErrors === undefined
      ? {}
      : { errors: aggregateErrors.map((one: Error) => withoutLogin(one.message)) }),
  }
}

/** A URL up to the next blank. What comes before its last `@` is looked for apart, so that no text takes long. */
const URLS = /\b((?:redis|rediss|redis\+unix|https?):\/\/)(\S*)/gi

/** `redis://user:password@host` as `redis://***@host`. */
const withoutLogin = (text: string): string =>
  text.replace(URLS, (url: string, scheme: string, rest: string) => {
    const at = rest.lastIndexOf('@')
    return at < 0 ? url : `${scheme}***${rest.slice(at)}`
  })
