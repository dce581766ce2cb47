import { CoolerError } from '../base/errors.ts'
import { isMailAddress } from '../base/mail-address.ts'
import type { SettingName } from './settings.ts'

/** Servers that messages are sent by, and the base URL of links. */
export interface NotifySettings {
  /** Without a slash at its end; null: messages have no links. */
  publicUrl: string | null
  /** smtp:// or smtps:// URL, perhaps with user and password; null: no e-mail. */
  smtpUrl: string | null
  mailFrom: string | null
  /** mqtt:// or mqtts:// URL, perhaps with user and password; null: nothing is published. */
  mqttUrl: string | null
  /** Whether webhooks may go to private addresses. */
  allowPrivate: boolean
}

/**
 * Returns the settings of messages.
 *
 * @throws CoolerError `bad-configuration`, one line, without a URL that may hold a password
 */
export function notifyOf(text: (name: SettingName) => string, allowPrivate: boolean): NotifySettings {
  return {
    publicUrl: publicUrlOf(text('COOLER_PUBLIC_URL')),
    smtpUrl: serverUrlOf('COOLER_SMTP_URL', text('COOLER_SMTP_URL'), 'smtp'),
    mailFrom: mailFromOf(text('COOLER_MAIL_FROM')),
    mqttUrl: serverUrlOf('COOLER_NOTIFY_MQTT_URL', text('COOLER_NOTIFY_MQTT_URL'), 'mqtt'),
    allowPrivate,
  }
}

const bad = (name: SettingName, value: string, right: string): CoolerError =>
  new CoolerError('bad-configuration', `${name} is ${JSON.stringify(value)}: it must be ${right}`)

function publicUrlOf(value: string): string | null {
  if (value === '') return null
  const right = 'an http or https URL without a login, a query and a fragment: https://coolers.example.org'
  if (!/^https?:\/\/[^\s"<>\\?#]+$/i.test(value) || !URL.canParse(value)) throw bad('COOLER_PUBLIC_URL', value, right)
  const { origin, pathname, username, password } = new URL(value)
  if (username !== '' || password !== '') throw bad('COOLER_PUBLIC_URL', value, right)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

function mailFromOf(value: string): string | null {
  if (value === '') return null
  if (!isMailAddress(value)) throw bad('COOLER_MAIL_FROM', value, 'an e-mail address: coolers@example.org')
  return value
}

/** Returns the URL of a server, which may have a login and a port, and nothing else. */
function serverUrlOf(name: SettingName, value: string, scheme: string): string | null {
  if (value === '') return null
  if (!isServerUrl(value, scheme)) {
    const right = `${scheme}s://[user:password@]host[:port], or ${scheme}:// without TLS from the start`
    throw new CoolerError('bad-configuration', `${name} must be ${right}; user and password percent-encoded`)
  }
  return value
}

function isServerUrl(value: string, scheme: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(value)
  if (protocol !== `${scheme}:` && protocol !== `${scheme}s:`) return false
  try {
    decodeURIComponent(username)
    decodeURIComponent(password)
  } catch {
    return false
  }
  const hasMore = (pathname !== '' && pathname !== '/') || search !== '' || hash !== ''
  return hostname !== '' && !hasMore
}
