import { readFileSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { UsageError } from '../context.ts'

/** The address of a broker and the login of the bridge. */
export interface BrokerAddress {
  /** Without user and password. */
  url: string
  /** Host and port. */
  host: string
  username: string | undefined
  password: string | undefined
}

/**
 * Reads the address of a broker. The password comes from the file if there is one, else from the environment, else from
 * the URL. No message repeats the URL, because it may contain a password.
 *
 * @throws UsageError
 */
export function brokerAddress(text: string, passwordFile: string | undefined, { mqtt }: Config): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^mqtts?:$/.test(url.protocol) || url.hostname === '')
    throw new UsageError('the broker must be an mqtt:// or mqtts:// URL')
  const username = mqtt.username ?? decode(url.username)
  const password = passwordFile === undefined ? (mqtt.password ?? decode(url.password)) : readPassword(passwordFile)
  if (password !== undefined && username === undefined)
    throw new UsageError('a password needs a user: set COOLER_MQTT_USERNAME, or write mqtt://user@host')
  return { url: `${url.protocol}//${url.host}`, host: url.host, username, password }
}

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text)
  } catch {
    throw new UsageError('user and password in the URL of the broker must be percent-encoded')
  }
}

/** Returns the text of a file without the line break at its end. @throws UsageError */
function readPassword(path: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--password-file ${path}: ${(error as Error).message}`)
  }
  const password = text.replace(/\r?\n$/, '')
  if (password === '') throw new UsageError(`--password-file ${path} is empty`)
  return password
}
