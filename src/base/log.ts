import { type DestinationStream, type Logger, pino } from 'pino'

/** Fields that must not be logged: keys, and data sent by devices and their owners. */
const SECRETS = ['authorization', '["x-api-key"]', 'cookie', 'password', 'redisUrl', 'body', 'payload', 'events', 'raw']

/** Paths of these fields in a log object and up to two levels below. Deeper objects are logged nowhere. */
const paths = SECRETS.flatMap((name) => {
  const field = name.startsWith('[') ? name : `.${name}`
  return [name, `*${field}`, `*.*${field}`]
})

/** Makes the program's log: one JSON object a line, to standard error to keep standard output for the command. */
export const createLogger = (
  level: string,
  destination: DestinationStream = pino.destination({ fd: 2, sync: false }),
): Logger => pino({ level, base: null, serializers: { err: errorFields }, redact: { paths, censor } }, destination)

/** Redacts a value unless it is a number, because the number of events, say, is not secret. */
const censor = (value: unknown): unknown => (typeof value === 'number' ? value : '(redacted)')

/**
 * Returns the fields of an error that are safe to log. Other fields may hold secrets: a Redis client adds the failed
 * command, with the password of AUTH, and an HTTP parser adds the bytes that it could not parse.
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

/** Matches a URL up to the next blank. The last `@` is searched separately, so that no text makes the match slow. */
const URLS = /\b((?:rediss?(?:\+(?:unix|cluster|sentinel))?|https?|smtps?|mqtts?):\/\/)(\S*)/gi

/**
 * Replaces the login in URLs: `redis://user:password@host` becomes `redis://***@host`, and the password of Sentinels
 * becomes `***`, too.
 */
export const withoutLogin = (text: string): string =>
  text.replace(URLS, (_, scheme: string, rest: string) => {
    const shown = rest.replace(/(sentinelPassword=)[^&#]*/gi, '$1***')
    const at = shown.lastIndexOf('@')
    return scheme + (at < 0 ? shown : `***${shown.slice(at)}`)
  })
